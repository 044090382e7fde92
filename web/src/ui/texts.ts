import type { Status } from '../connection';
import type { Recording } from '../decode';
import type { Header } from '../schema';

// Sentences and facts about a run.

export function runTitle(header: Header | null): string {
  if (!header) return '';
  if (header.title) return header.title;
  const driver = header.controllers[0];
  return [header.world.actors[0]?.name, driver?.controller, withoutFolder(driver?.motion ?? ''), header.engine].filter(Boolean).join(' · ');
}

// Of a skill or motion that is a file.
export const withoutFolder = (name: string) => name.replace(/^.*\//, '');

// Of all who are driven, each once.
const names = (all: string[]) => [...new Set(all.filter(Boolean).map(withoutFolder))].join(', ') || '–';

export function recordingFacts(recording: Recording): [string, string][] {
  const { header, frames } = recording;
  const seconds = frames[frames.length - 1].time - frames[0].time;
  const facts: [string, string][] = [
    ['File', recording.name],
    ['Character', names(header.world.actors.slice(0, Math.max(1, header.controllers.length)).map((actor) => actor.name))],
    ['Controller', names(header.controllers.map((driver) => driver.controller))],
    ['Skill', names(header.controllers.map((driver) => driver.skill))],
    ['Motion', names(header.controllers.map((driver) => driver.motion))],
    ['Engine', header.engine || '–'],
    ['Duration', `${seconds.toFixed(2)} s`],
    ['Frames', String(frames.length)],
  ];
  const fall = recording.events.find((event) => event.kind === 'fall');
  if (fall) facts.push(['Fell', `at ${fall.time.toFixed(2)} s`]);
  if (!recording.complete) facts.push(['End', 'cut short']);
  return facts;
}

const kMetrics: [string, string, string, number][] = [ // key, name, unit, digits
  ['seconds', 'Survived', 's', 1],
  ['distance', 'Distance', 'm', 2],
  ['speed', 'Mean speed', 'm/s', 2],
  ['steps', 'Steps', '', 0],
  ['step_length', 'Step length', 'm', 2],
  ['tracking_error_deg', 'Tracking error', '°', 1],
  ['joint_power', 'Joint power', 'W', 0],
  ['foot_slip', 'Foot slip', 'm/s', 3],
];

export function metricFacts(status: Status, actor: number): [string, string][] {
  const facts: [string, string][] = [];
  const metrics = status.others[actor - 1]?.metrics ?? status.metrics;
  for (const [key, name, unit, digits] of kMetrics) {
    const value = metrics?.[key];
    if (typeof value === 'number') facts.push([name, `${value.toFixed(digits)} ${unit}`.trim()]);
  }
  facts.push(['Missed deadlines', String(status.missed)]);
  facts.push(['Seed', String(status.setup.seed)]);
  return facts;
}
