// Icons on a 24 by 24 grid, drawn in the text's colour.
const stroke = (path: string) =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;
const solid = (path: string) => `<svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">${path}</svg>`;

export const icons: Record<string, string> = {
  logo:
    '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2f6fde"/><circle cx="18.5" cy="7.5" r="2.6" fill="#fff"/><path d="M16.5 12.5l-2.5 6 4.5 3L19 27M14 18.5l-2.5 4.5-4 1M16.5 12.5L12 14l-1.5 3.5M16.5 12.5l3 3.5 3.5.5" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>',
  open: stroke('<path d="M3 7.5A1.5 1.5 0 0 1 4.5 6H9l2 2.5h8.5A1.5 1.5 0 0 1 21 10v8a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18z"/>'),
  record: stroke('<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="3.5" fill="currentColor"/>'),
  download: stroke('<path d="M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M4.5 19.5h15"/>'),
  share: stroke('<path d="M12 15V4m0 0L8 8m4-4 4 4M6 12H5v8h14v-8h-1"/>'),
  theme: stroke('<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/>'),
  help: stroke('<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.8v.1"/>'),
  pause: solid('<rect x="6.5" y="5" width="4" height="14" rx="1.2"/><rect x="13.5" y="5" width="4" height="14" rx="1.2"/>'),
  play: solid('<path d="M8 5.3v13.4a.8.8 0 0 0 1.2.7l10.6-6.7a.8.8 0 0 0 0-1.4L9.2 4.6A.8.8 0 0 0 8 5.3z"/>'),
  step: stroke('<path d="M7 5.5v13l9-6.5zM19 5.5v13"/>'),
  restart: stroke('<path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4.5v4h4"/>'),
  loop: stroke('<path d="M5 11V9.5A2.5 2.5 0 0 1 7.5 7H19m0 0-3-3m3 3-3 3M19 13v1.5a2.5 2.5 0 0 1-2.5 2.5H5m0 0 3-3m-3 3 3 3"/>'),
  ball: stroke('<circle cx="15.5" cy="8.5" r="4.5"/><path d="M9.5 14.5l-5 5M8 10.5l-3.5 3.5M13.5 16 10 19.5"/>'),
  aim: stroke('<circle cx="12" cy="12" r="6.5"/><path d="M12 2.5v5m0 9v5M2.5 12h5m9 0h5"/>'),
  add: stroke('<path d="M12 5v14M5 12h14"/>'),
  remove: stroke('<path d="M5 12h14"/>'),
  undo: stroke('<path d="M8.5 5 4 9.5 8.5 14M4.5 9.5H14a5.5 5.5 0 0 1 0 11h-3"/>'),
  redo: stroke('<path d="m15.5 5 4.5 4.5-4.5 4.5M19.5 9.5H10a5.5 5.5 0 0 0 0 11h3"/>'),
  mirror: stroke('<path d="M12 3v18M8.5 7 3 17h5.5zM15.5 7 21 17h-5.5z"/>'),
  chevron: stroke('<path d="m6 9.5 6 6 6-6"/>'),
  close: stroke('<path d="m6 6 12 12M18 6 6 18"/>'),
};

export function setIcon(button: HTMLElement, name: string) {
  if (button.dataset.shown === name) return;
  button.dataset.shown = name;
  button.querySelector('svg')?.remove();
  button.insertAdjacentHTML('afterbegin', icons[name]);
}

export function placeIcons() {
  for (const element of document.querySelectorAll<HTMLElement>('[data-icon]')) setIcon(element, element.dataset.icon!);
}
