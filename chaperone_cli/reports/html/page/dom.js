// Builds elements. Text from a log only becomes text nodes, and attributes that run nothing.
const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// Does `action` whenever a reader comes near `element`; hidden ones are near nothing.
function whenNear(element, action) {
  const near = (entries) => entries.some((entry) => entry.isIntersecting) && action();
  new IntersectionObserver(near, { rootMargin: "600px" }).observe(element);
  return element;
}

const number = new Intl.NumberFormat("en");
const count = (value) => number.format(value);
const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
