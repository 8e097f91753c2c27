import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Area, AreaChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Overview } from '../../src-main/contract/overview.ts';
import { useShop } from '../bridge/shop.tsx';
import { count, logWhen, when } from '../ui/format.ts';
import { countAxis, timeAxis, tooltip } from './chart-look.ts';
import { Panel } from './Panel.tsx';

/** How the queue empties at the pace in force, as planned departures have it. */
export function ForecastChart({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const { status } = useShop();
  const { forecast, now } = overview;
  const first = forecast[0];
  const last = forecast.at(-1);
  // within minutes, seconds tell the ticks apart
  const tick = (at: number) => ((last?.at ?? 0) - now < 900 ? logWhen(at) : when(at, now));
  // a disabled shop with rows that wait sends them all the same (promise 11); nothing is planned while it is empty
  const note =
    first && last
      ? t('overview.emptyAt', { count: first.remaining, when: when(last.at, now) })
      : t(status?.pause ? 'overview.pausedForecast' : 'overview.nothingPlanned');
  return (
    <Panel title={t('overview.forecast')}>
      <Text size="sm" mb="xs">
        {note}
      </Text>
      {forecast.length > 0 && (
        <div className="pr-chart" aria-hidden>
          <ResponsiveContainer width="100%" height="100%">
            <AreaChart
              accessibilityLayer={false}
              data={forecast}
              margin={{ top: 8, right: 16, bottom: 0, left: -16 }}
            >
              <CartesianGrid vertical={false} stroke="var(--pr-line)" />
              <XAxis
                {...timeAxis}
                dataKey="at"
                type="number"
                domain={['dataMin', 'dataMax']}
                tickFormatter={(at: number) => tick(at)}
              />
              <YAxis {...countAxis} tickFormatter={(n: number) => count(n)} />
              <Tooltip
                {...tooltip}
                labelFormatter={(at) => tick(Number(at))}
                formatter={(value) => [count(Number(value)), t('overview.remaining')]}
              />
              <Area
                dataKey="remaining"
                type="stepAfter"
                stroke="var(--pr-cap)"
                strokeWidth={2}
                fill="var(--pr-cap)"
                fillOpacity={0.12}
                isAnimationActive={false}
              />
            </AreaChart>
          </ResponsiveContainer>
        </div>
      )}
    </Panel>
  );
}
