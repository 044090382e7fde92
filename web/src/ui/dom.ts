// Short ways to the page's own elements.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

export function svgElement(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

export function setText(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text;
}

// Shows how far a slider is from zero, or from its left end.
export function fillSlider(slider: HTMLInputElement) {
  const low = Number(slider.min), high = Number(slider.max);
  const percent = (value: number) => (100 * (value - low)) / (high - low || 1);
  const value = Number(slider.value), zero = Math.max(low, 0);
  slider.style.setProperty('--from', `${percent(Math.min(value, zero))}%`);
  slider.style.setProperty('--to', `${percent(Math.max(value, zero))}%`);
}

export function setSlider(slider: HTMLInputElement, value: number) {
  if (document.activeElement !== slider || !slider.matches(':active')) slider.value = String(value);
  fillSlider(slider);
}

// Entries with names as facts: <dt>, <dd>.
export function setFacts(list: HTMLElement, facts: [string, string][]) {
  const nodes: HTMLElement[] = [];
  for (const [name, value] of facts) {
    const dt = document.createElement('dt');
    const dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    nodes.push(dt, dd);
  }
  list.replaceChildren(...nodes);
}

// Says it to screen readers.
export function announce(text: string) {
  setText(byId('announce'), text);
}

// Says what went wrong and why.
export function failed(what: string, error: unknown) {
  const why = error instanceof Error ? error.message : String(error);
  toast(`${what}: ${why}`, true);
  announce(what);
}

const kToastSeconds = 5;

export function toast(text: string, bad = false) {
  const element = document.createElement('div');
  element.className = bad ? 'toast bad' : 'toast';
  element.textContent = text;
  const list = byId('toasts');
  list.append(element);
  if (list.children.length > 3) list.firstElementChild!.remove();
  setTimeout(() => element.remove(), 1000 * (bad ? 2 : 1) * kToastSeconds);
}
