// How the search of the site ranks what it finds: the defaults of Sphinx, but a heading that
// contains the whole query comes before the pages that contain its words somewhere.
var Scorer = {
  score: ([, , , , score, , kind]) => (kind === "title" ? score + 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
