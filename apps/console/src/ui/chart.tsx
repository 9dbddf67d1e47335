import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';

import { clockText } from '../lib/format.js';

interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What it shows, for those who do not see it; the same data stands in a table beside it. */
  readonly label: string;
  /** Rising; seconds since the Unix epoch where `isTime`. */
  readonly x: readonly number[];
  readonly xLabel: string;
  readonly isTime?: boolean;
  readonly lines: readonly Line[];
  /** Lowest and highest value, where they are known. */
  readonly range?: readonly [number, number];
  readonly height?: number;
  /** A value stands until the next one. */
  readonly isStepped?: boolean;
  /** Charts of the same name have one cursor. */
  readonly group?: string;
  /** The index that is marked. */
  readonly at?: number;
  readonly onPick?: (index: number) => void;
}

const COLOURS = ['--link', '--good', '--warn', '--bad'];
const HEIGHT_PX = 160;
/** Steps of an axis of whole numbers. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000];
const DAY_S = 86_400;

/** A time series. The mark and the cursor are for the eye; whoever uses the keyboard has the table and the page's own controls. */
export function Chart(props: ChartProps): ReactNode {
  const { label, at, x } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  // What changes without drawing everything anew.
  const latest = useRef(props);
  const scheme = useScheme();
  const shape = JSON.stringify([x, props.lines, props.range, props.height]);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const made = new uPlot(optionsOf(latest, box), dataOf(latest.current), box);
    plot.current = made;
    const pick = (): void => {
      const index = made.cursor.idx;
      if (typeof index === 'number') latest.current.onPick?.(index);
    };
    made.over.addEventListener('click', pick);
    const watch = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: made.height }));
    watch.observe(box);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, scheme]);
  useEffect(() => plot.current?.redraw(false), [at]);
  return <div className="chart" role="img" aria-label={label} ref={place} />;
}

function dataOf({ x, lines }: ChartProps): uPlot.AlignedData {
  return [[...x], ...lines.map(({ values }) => [...values])];
}

function optionsOf(latest: { readonly current: ChartProps }, box: HTMLElement): uPlot.Options {
  const { lines, range, isTime = false, isStepped, height = HEIGHT_PX, group, xLabel } = latest.current;
  const colours = COLOURS.map((name) => colourOf(box, name));
  const axis = {
    stroke: colourOf(box, '--faint'),
    grid: { stroke: colourOf(box, '--line'), width: 1 },
    ticks: { show: false },
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return {
    width: box.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: { x: { time: isTime }, y: range ? { range: [range[0], range[1]] } : {} },
    axes: [
      {
        ...axis,
        size: 30,
        ...(isTime
          ? {
              values: (_: uPlot, times: number[], __: number, ___: number, step: number) =>
                times.map((time) => clockOf(time, step)),
            }
          : { incrs: WHOLE }),
      },
      { ...axis, size: 50 },
    ],
    series: [
      {
        label: xLabel,
        ...(isTime ? { value: (_: uPlot, time: number | null) => (time === null ? '--' : clockOf(time, 0)) } : {}),
      },
      ...lines.map((line, i) => ({
        label: line.label,
        stroke: colours[i % colours.length]!,
        width: 2,
        points: { show: true, size: 5 },
        ...(isStepped && stepped ? { paths: stepped } : {}),
      })),
    ],
    cursor: { drag: { x: false, y: false }, ...(group === undefined ? {} : { sync: { key: group } }) },
    hooks: { draw: [(made) => mark(made, latest.current, colourOf(box, '--text'))] },
  };
}

function mark(made: uPlot, { at, x }: ChartProps, colour: string): void {
  const value = at === undefined ? undefined : x[at];
  if (value === undefined) return;
  const left = made.valToPos(value, 'x', true);
  const { ctx, bbox } = made;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** A time in UTC, as far as a step of the axis tells apart; whole where there is none. */
function clockOf(seconds: number, step: number): string {
  const text = clockText(new Date(seconds * 1_000).toISOString(), 0)!;
  if (step === 0) return text;
  return step >= DAY_S ? text.slice(0, 10) : step >= 60 ? text.slice(11, 16) : text.slice(11);
}

/** A colour of the tokens as a canvas takes it. */
function colourOf(box: HTMLElement, name: string): string {
  box.style.color = `var(${name})`;
  const { color } = getComputedStyle(box);
  box.style.color = '';
  return color;
}

/** Changes with the colour scheme. */
function useScheme(): string {
  return useSyncExternalStore(watchScheme, () =>
    [document.documentElement.dataset['scheme'], matchMedia('(prefers-color-scheme: dark)').matches].join(),
  );
}

function watchScheme(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-scheme'] });
  system.addEventListener('change', changed);
  return () => {
    chosen.disconnect();
    system.removeEventListener('change', changed);
  };
}
