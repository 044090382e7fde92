// The keyboard. Keys belong to a control that uses them itself while it has the focus.

export interface KeyListener {
  togglePause(): void;
  step(frames: number): void;
  restart(): void;
  steer(speedSteps: number, headingSteps: number): void;
  style(index: number): void;
  throwBall(): void;
  layer(name: 'follow' | 'ghost' | 'contacts' | 'com'): void;
  help(): void;
}

const kOwnKeys = 'input, select, textarea, [role=tab], [role=menuitem], [role=slider], dialog';

export function setUpKeys(listener: KeyListener) {
  const actions: Record<string, () => void> = {
    ' ': () => listener.togglePause(),
    r: () => listener.restart(),
    '.': () => listener.step(1),
    n: () => listener.step(1),
    ',': () => listener.step(-1),
    w: () => listener.steer(1, 0),
    s: () => listener.steer(-1, 0),
    a: () => listener.steer(0, 1),
    d: () => listener.steer(0, -1),
    arrowup: () => listener.steer(1, 0),
    arrowdown: () => listener.steer(-1, 0),
    arrowleft: () => listener.steer(0, 1),
    arrowright: () => listener.steer(0, -1),
    b: () => listener.throwBall(),
    f: () => listener.layer('follow'),
    g: () => listener.layer('ghost'),
    c: () => listener.layer('contacts'),
    m: () => listener.layer('com'),
    '?': () => listener.help(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest(kOwnKeys)) return;
    const key = event.key.toLowerCase();
    if (key === ' ' && target.closest('button, [role=button]')) return;
    if (event.repeat && (key === ' ' || key === 'r' || key === 'b')) return;
    const action = /^[1-9]$/.test(key) ? () => listener.style(Number(key) - 1) : actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // After a click the keys are the picture's again: a space after a click on a button pauses.
  const giveBack = (event: Event) => {
    const target = event.target as HTMLElement;
    if (target.closest('button:not([role]):not([aria-haspopup]), [role=tab], [role=radio], #graph [role=button], input[type=range], input[type=checkbox]')) {
      document.getElementById('canvas')!.focus({ preventScroll: true });
    }
  };
  document.addEventListener('click', (event) => {
    if (event.detail > 0 && !(event.target as HTMLElement).closest('#help, dialog')) giveBack(event);
  });
}
