/** How the charts of the overview look, whatever they draw. */

const tick = { fill: 'var(--pr-faint)', fontSize: 12 };

export const timeAxis = { minTickGap: 48, tickLine: false, axisLine: { stroke: 'var(--pr-line)' }, tick };

export const countAxis = { allowDecimals: false, tickLine: false, axisLine: false, tick };

export const tooltip = {
  isAnimationActive: false,
  contentStyle: {
    background: 'var(--pr-sheet)',
    border: '1px solid var(--pr-line)',
    borderRadius: 8,
    fontSize: 13,
  },
};
