import * as THREE from 'three';
import type { Connection, Status } from './connection';
import type { ControlCurve } from './curves';
import type { LiveRun } from './live_run';
import type { Recordings } from './recordings';
import type { Hand } from './scene/hand';
import type { Stage } from './scene/stage';

interface Parts {
  stage: Stage;
  hand: Hand;
  live: LiveRun;
  recordings: Recordings;
  connection(): Connection | null;
  status(): Status | null;
  plotted(): number;
  curves(): ControlCurve[];
}

// For tests, and for the curious in the console.
export function hookOf({ stage, hand, live, recordings, connection, status, plotted, curves }: Parts) {
  const player = () => recordings.player;
  return {
    mode: () => (player() ? 'recording' : live.frame ? 'live' : 'none'),
    framesReceived: () => connection()?.framesReceived ?? 0,
    framesUnreadable: () => connection()?.framesUnreadable ?? 0,
    drawn: () => stage.drawn,
    status,
    frame: () => player()?.frame() ?? live.frame,
    header: () => player()?.recording.header ?? live.header,
    actors: () => player()?.recording.actors ?? live.actors,
    sample: () => stage.sample,
    player,
    dragging: () => hand.dragging,
    dragSpan: () => hand.span,
    setPixelRatio: (ratio: number) => stage.setRatio(ratio),
    selected: () => stage.selected,
    picture: () => stage.picture(),
    plotted,
    curves,
    // The middle of a body on the screen.
    screen: (body: number, actor = 0) => {
      const figure = stage.figures[actor];
      return stage.project(figure.toWorld(body, new THREE.Vector3(...figure.character.bodies[body].com)));
    },
  };
}
