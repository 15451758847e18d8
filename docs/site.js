// What Sphinx and Furo leave out for readers with a screen reader or without a mouse.
const label = (selector, attribute, value) => {
  for (const element of document.querySelectorAll(selector)) element.setAttribute(attribute, value);
};
document.addEventListener("DOMContentLoaded", () => {
  label(".caption[role=heading]", "aria-level", "2");
  label(".sidebar-drawer", "aria-label", "All pages");
  label(".toc-drawer", "aria-label", "This page");
  // On a phone, code and pictures scroll sideways.
  if (matchMedia("(max-width: 46em)").matches) {
    label(".highlight pre, .table-wrapper, article p:has(> img), .sidebar-scroll", "tabindex", "0");
  }
});
