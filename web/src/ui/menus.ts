import { byId } from './dom';

// Tabs, the sheet of a narrow page, the download menu, the theme and the help dialog.

// Gives back what offers a tab or takes it away.
export function setUpTabs(): (id: string, on: boolean) => void {
  const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const select = (tab: HTMLButtonElement) => {
    for (const other of tabs) {
      const on = other === tab;
      other.setAttribute('aria-selected', String(on));
      other.tabIndex = on ? 0 : -1;
      byId(other.getAttribute('aria-controls')!).hidden = !on;
    }
  };
  const show = (tab: HTMLButtonElement) => {
    select(tab);
    setSheet(true);
  };
  tabs.forEach((tab) => {
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!move) return;
      event.preventDefault();
      const offered = tabs.filter((one) => !one.hidden);
      const next = offered[(offered.indexOf(tab) + move + offered.length) % offered.length];
      next.focus();
      show(next);
    });
  });
  byId('sheet').addEventListener('click', () => setSheet(byId('panel').classList.contains('closed')));
  return (id, on) => {
    const tab = byId<HTMLButtonElement>(id);
    if (!on && tab.getAttribute('aria-selected') === 'true') select(tabs[0]);
    tab.hidden = !on;
  };
}

function setSheet(open: boolean) {
  byId('panel').classList.toggle('closed', !open);
  byId('sheet').setAttribute('aria-expanded', String(open));
}

export function setUpMenu(button: HTMLElement, menu: HTMLElement, onOpen: () => void) {
  const items = () => [...menu.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)')];
  const close = (refocus: boolean) => {
    if (menu.hidden) return;
    menu.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    if (refocus) button.focus();
  };
  button.addEventListener('click', () => {
    if (!menu.hidden) return close(false);
    onOpen();
    menu.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    items()[0]?.focus();
  });
  menu.addEventListener('keydown', (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) all[(at + move + all.length) % all.length]?.focus();
    else if (event.key === 'Tab') return close(false);
    else return;
    event.preventDefault();
  });
  menu.addEventListener('click', () => close(true));
  // Wherever the focus is: with nothing to choose it stays on the button.
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || menu.hidden) return;
    event.preventDefault();
    close(true);
  });
  document.addEventListener('pointerdown', (event) => {
    const target = event.target as Node;
    if (!menu.contains(target) && !button.contains(target)) close(false);
  });
}

// Dark or light: the system's choice until the user makes one.
export function setUpTheme(button: HTMLElement, onChange: () => void) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem('stride-theme');
  } catch {
    // A page opened from a file may have no storage.
  }
  const apply = () => {
    document.documentElement.dataset.theme = chosen ?? (system.matches ? 'dark' : 'light');
    onChange();
  };
  system.addEventListener('change', apply);
  button.addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('stride-theme', chosen);
    } catch {
      // The choice then holds for this page only.
    }
    apply();
  });
  apply();
}

export function setUpHelp(): () => void {
  const dialog = byId<HTMLDialogElement>('help-dialog');
  const toggle = () => (dialog.open ? dialog.close() : dialog.showModal());
  byId('help').addEventListener('click', toggle);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return toggle;
}
