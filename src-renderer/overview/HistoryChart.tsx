import { SegmentedControl, Table, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  Bar,
  BarChart,
  CartesianGrid,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { Overview, Span } from '../../src-main/contract/overview.ts';
import { count, when } from '../ui/format.ts';
import { countAxis, timeAxis, tooltip } from './chart-look.ts';
import { Panel } from './Panel.tsx';

const outcomes = ['sent', 'deferred', 'failed'] as const;
const spanNames: Span[] = ['minute', 'hour', 'day'];

/** What sending came to, in bars, with the cap of that length as a line. */
export function HistoryChart({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const [span, setSpan] = useState<Span>('minute');
  const buckets = overview.history[span];
  const cap = overview.caps[span];
  const sums = Object.fromEntries(
    outcomes.map((outcome) => [outcome, buckets.reduce((sum, bucket) => sum + bucket[outcome], 0)]),
  ) as Record<(typeof outcomes)[number], number>;
  const highest = Math.max(cap ?? 0, 1, ...buckets.map((one) => one.sent + one.deferred + one.failed));
  return (
    <Panel
      title={t('overview.history')}
      note={t(`overview.capNote.${cap === null ? 'none' : span}`, { cap: count(cap ?? 0) })}
      control={
        <SegmentedControl
          size="xs"
          aria-label={t('overview.span')}
          value={span}
          onChange={(value) => setSpan(value as Span)}
          data={spanNames.map((value) => ({ value, label: t(`overview.spans.${value}`) }))}
        />
      }
    >
      <ul className="pr-legend">
        {outcomes.map((outcome) => (
          <li key={outcome}>
            <span className="pr-key" data-outcome={outcome} aria-hidden />
            {t(`overview.outcome.${outcome}`)} <b>{count(sums[outcome])}</b>
          </li>
        ))}
        {cap !== null && (
          <li>
            <span className="pr-key" data-outcome="cap" aria-hidden />
            {t('overview.cap')} <b>{count(cap)}</b>
          </li>
        )}
      </ul>
      <div className="pr-chart" aria-hidden>
        <ResponsiveContainer width="100%" height="100%">
          <BarChart
            accessibilityLayer={false}
            data={buckets}
            margin={{ top: 8, right: 8, bottom: 0, left: -16 }}
            barCategoryGap="18%"
          >
            <CartesianGrid vertical={false} stroke="var(--pr-line)" />
            <XAxis {...timeAxis} dataKey="at" tickFormatter={(at: number) => when(at, overview.now)} />
            <YAxis {...countAxis} domain={[0, highest]} tickFormatter={(n: number) => count(n)} />
            {cap !== null && (
              <ReferenceLine y={cap} stroke="var(--pr-cap)" strokeDasharray="5 4" ifOverflow="extendDomain" />
            )}
            <Tooltip
              {...tooltip}
              cursor={{ fill: 'var(--pr-hover)', stroke: 'none' }}
              labelFormatter={(at) => when(Number(at), overview.now)}
              formatter={(value, name) => [
                count(Number(value)),
                t(`overview.outcome.${String(name) as (typeof outcomes)[number]}`),
              ]}
            />
            {outcomes.map((outcome) => (
              <Bar
                key={outcome}
                dataKey={outcome}
                stackId="ends"
                fill={`var(--pr-${outcome})`}
                isAnimationActive={false}
                maxBarSize={28}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      <VisuallyHidden>
        <Table>
          <caption>{t('overview.history')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('overview.from')}</th>
              {outcomes.map((outcome) => (
                <th key={outcome} scope="col">
                  {t(`overview.outcome.${outcome}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {buckets
              .filter((one) => one.sent + one.deferred + one.failed > 0)
              .map((one) => (
                <tr key={one.at}>
                  <th scope="row">{when(one.at, overview.now)}</th>
                  {outcomes.map((outcome) => (
                    <td key={outcome}>{count(one[outcome])}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </Table>
      </VisuallyHidden>
    </Panel>
  );
}
