import type { Status } from '../connection';
import type { Header } from '../schema';
import { byId, setFacts, setText } from './dom';
import { metricFacts, runTitle } from './texts';

// Everything on the page that depends on whether there is a live run, a recording, or neither.

export interface Mode {
  status: Status | null; // null: not connected, or nothing was said yet
  connected: boolean;
  recording: boolean; // one is open
  anyFrame: boolean;  // of the live run
  header: Header | null;
  actor: number; // selected
}

export const isLive = (mode: Mode): boolean => mode.connected && !mode.recording && mode.status !== null;

export function showBanner(text: string, bad: boolean) {
  const banner = byId('banner');
  banner.classList.toggle('bad', bad);
  banner.hidden = text === '';
  setText(banner, text);
}

export function showMode(mode: Mode) {
  const { recording, connected } = mode;
  const status = isLive(mode) ? mode.status : null;
  byId('recording-info').hidden = !recording;
  byId('live-controls').hidden = recording;
  byId('hint').hidden = recording;
  byId('watch-group').hidden = !connected;
  byId('back').hidden = !connected;
  byId('metrics-title').hidden = status === null;
  setFacts(byId('metrics'), status ? metricFacts(status, mode.actor) : []);
  byId<HTMLButtonElement>('record').disabled = status === null;
  byId('record').setAttribute('aria-pressed', String(status?.recording ?? false));
  byId<HTMLButtonElement>('share').disabled = !recording && !mode.anyFrame;
  byId<HTMLButtonElement>('download').disabled = !recording && status === null;
  const title = runTitle(mode.header);
  setText(byId('run-title'), title);
  byId('run-title').title = title;
  document.title = title ? `${title} · stride` : 'stride';
  // Nobody drives what was never simulated.
  const what = mode.header?.controllers[0]?.controller === '' ? 'Motion' : 'Recording';
  setText(byId('recording-title'), what);
  showChips(status, recording ? what : null, mode.actor);
  if (status) {
    showBanner(status.late && !status.paused
      ? `This machine cannot keep real time: it runs at ${Math.round(100 * status.realtime)} % of the speed asked for. Slow motion or a simpler character helps.`
      : '', false);
  } else if (recording && connected) {
    showBanner('', false);
  }
}

function showChips(status: Status | null, recording: string | null, actor: number) {
  const running = status !== null && !status.paused;
  const state = byId('chip-state');
  state.classList.toggle('live', running);
  setText(state, recording !== null ? recording : !status ? '' : status.paused ? 'Paused' : 'Live');
  setText(byId('chip-speed'), !running ? '' : `${Math.round(100 * status.realtime)} % of ${status.rate === 1 ? 'real time' : `${status.rate}×`}`);
  if (recording === null) byId('chip-fell').hidden = !(actor === 0 ? status?.fell : status?.others[actor - 1]?.fell);
  byId('chip-record').hidden = !status?.recording;
  if (status?.recording) setText(byId('chip-record'), `${status.recorded_seconds.toFixed(1)} s`);
}
