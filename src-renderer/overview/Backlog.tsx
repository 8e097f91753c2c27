import { Anchor, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { ages, type Overview } from '../../src-main/contract/overview.ts';
import { count, span } from '../ui/format.ts';
import { Panel } from './Panel.tsx';

/** Who waits, and how long: a line for each domain, a column for each age, darker where more wait. */
export function Backlog({ overview, onDomain }: { overview: Overview; onDomain: (domain: string) => void }) {
  const { t } = useTranslation();
  const { domains } = overview;
  // columns beyond the oldest row would be empty for all
  const oldest = Math.max(0, ...domains.map(({ byAge }) => byAge.findLastIndex((n) => n > 0)));
  const columns = ages.slice(0, oldest + 1);
  const most = Math.max(1, ...domains.flatMap(({ byAge }) => byAge));
  return (
    <Panel title={t('overview.backlog')} note={t('overview.backlogNote')}>
      {domains.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('overview.nobodyWaits')}
        </Text>
      ) : (
        <div className="pr-qshape">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('overview.domain')}</th>
                <th scope="col">{t('overview.total')}</th>
                {columns.map((upTo, at) => (
                  <th key={upTo ?? 'older'} scope="col">
                    {upTo === null
                      ? t('overview.over', { age: span((ages[at - 1] ?? 0) * 60) })
                      : t('overview.under', { age: span(upTo * 60) })}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {domains.map(({ domain, total, byAge, tried }) => (
                <tr key={domain}>
                  <th scope="row">
                    {domain === '' ? (
                      t('overview.others')
                    ) : (
                      <Anchor component="button" type="button" size="sm" onClick={() => onDomain(domain)}>
                        {domain}
                      </Anchor>
                    )}
                    {tried > 0 && (
                      <Text span size="xs" c="dimmed" ml={6}>
                        {t('overview.tried', { count: tried })}
                      </Text>
                    )}
                  </th>
                  <td>
                    <b>{count(total)}</b>
                  </td>
                  {columns.map((upTo, at) => {
                    const n = byAge[at] ?? 0;
                    return (
                      <td key={upTo ?? 'older'} style={heat(n / most)} data-empty={n === 0 || undefined}>
                        {n === 0 ? '·' : count(n)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** The square root keeps one row visible beside a thousand. */
const heat = (part: number): CSSProperties =>
  ({ '--pr-heat': `${Math.round(Math.sqrt(part) * 46)}%` }) as CSSProperties;
