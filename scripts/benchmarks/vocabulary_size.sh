#!/bin/sh
# Measure what docs/vocabulary-size.md shows, in a folder with the benchmark's prose.txt and
# code.txt (build_corpora.py). Run it in a clone:
#
#     sh scripts/benchmarks/vocabulary_size.sh FOLDER
#
# The other texts are from public repositories of 1.5 GB.
set -eu
clone=$PWD
cd "$1"

text() { # NAME REPOSITORY COMMIT PATH...: the first 60 MB of its files, without the last line
    name=$1 repository=$2 commit=$3
    shift 3
    [ -e "$name" ] || git clone --no-checkout "https://github.com/$repository" "$name"
    git -C "$name" archive "$commit" "$@" | tar -xO | grep -av '^</*doc' | head -c 60000000 | sed '$d' \
        > "$name.txt"
}

text russian d0rj/RusLit 4509680 ':(glob)prose/**/*.txt' ':(glob)publicism/**/*.txt'
text chinese NiuTrans/Classical-Modern 4e746ea ':(glob)**/target.txt'
text malayalam smc/corpus 5605989 ':(glob)text/ml-wiki/*/*'
for megabytes in 1 4 16; do
    head -c "${megabytes}000000" prose.txt | sed '$d' > "prose-$megabytes.txt"
done
uv run --project "$clone" python "$clone/scripts/benchmarks/vocabularies.py" \
    prose.txt code.txt russian.txt chinese.txt malayalam.txt prose-1.txt prose-4.txt prose-16.txt \
    --vocab-size 65536 --pattern gpt4o --json "$clone/docs/vocabulary-size.json"
# What the page says of gpt4 on Malayalam:
uv run --project "$clone" python "$clone/scripts/benchmarks/vocabularies.py" malayalam.txt \
    --vocab-size 65536 --pattern gpt4 --json malayalam-gpt4.json
