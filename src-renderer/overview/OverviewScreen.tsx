// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
import { Center, Loader } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RowFilter, RowId } from '../../src-main/contract/rows.ts';
import { call } from '../bridge/client.ts';
import { useFetched } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Backlog } from './Backlog.tsx';
import { ErrorKinds } from './ErrorKinds.tsx';
import { ForecastChart } from './ForecastChart.tsx';
import { HistoryChart } from './HistoryChart.tsx';
import { LastSleep } from './LastSleep.tsx';
import './overview.css';

/** ms between two looks: the figures are kept as long on the other side */
const everyMs = 5_000;

interface Props {
  onFilter: (filter: RowFilter) => void;
  onRow: (row: RowId) => void;
}

/** How sending goes: against the caps, for whom mail waits, until when, and what goes wrong. */
export default function OverviewScreen({ onFilter, onRow }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const { value: overview, error } = useFetched(
    () => call('shop:overview', profile.id),
    `${profile.id} ${profile.connection.phase}`,
    everyMs,
  );
  return (
    <section className="pr-overview" aria-label={t('nav.overview')} tabIndex={0}>
      {error && <ErrorNote error={error} />}
      {!overview && !error && (
        <Center flex={1} p="xl">
          <Loader type="dots" />
        </Center>
      )}
      {overview && (
        <>
          <HistoryChart overview={overview} />
          <div className="pr-overview-pair">
            <Backlog
              overview={overview}
              onDomain={(domain) => onFilter({ state: 'pending', search: `@${domain}` })}
            />
            <ForecastChart overview={overview} />
          </div>
          {status && <LastSleep sleep={status.sleep} onFilter={onFilter} />}
          <ErrorKinds errors={overview.errors} now={overview.now} onRow={onRow} />
        </>
      )}
    </section>
  );
}
