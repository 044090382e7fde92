import type { Status } from '../connection';
import type { Recording } from '../decode';
import type { Header } from '../schema';

// Sentences and facts about a run.

export function runTitle(header: Header | null): string {
  if (!header) return '';
  if (header.title) return header.title;
  return [header.world.actors[0]?.name, header.controller, header.motion, header.engine].filter(Boolean).join(' · ');
}

export function recordingFacts(recording: Recording): [string, string][] {
  const { header, frames } = recording;
  const seconds = frames[frames.length - 1].time - frames[0].time;
  const facts: [string, string][] = [
    ['File', recording.name],
    ['Character', header.world.actors[0]?.name ?? '–'],
    ['Controller', header.controller || '–'],
    ['Motion', header.motion || '–'],
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

export function metricFacts(status: Status): [string, string][] {
  const facts: [string, string][] = [];
  for (const [key, name, unit, digits] of kMetrics) {
    const value = status.metrics?.[key];
    if (typeof value === 'number') facts.push([name, `${value.toFixed(digits)} ${unit}`.trim()]);
  }
  facts.push(['Missed deadlines', String(status.missed)]);
  facts.push(['Seed', String(status.setup.seed)]);
  return facts;
}
