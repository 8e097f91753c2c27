import { Progress, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useBeat } from '../bridge/hooks.ts';
import { useShop } from '../bridge/shop.tsx';
import { count, span, when } from '../ui/format.ts';

/** Remaining, next, empty, and how much of the pace is used. */
export function Figures() {
  const { t } = useTranslation();
  const { status, clock } = useShop();
  useBeat(250); // the countdown goes on between two answers
  const now = clock();
  if (!status || now === null) return null;
  const { rate, remaining, next_at, empty_at, in_flight } = status;
  const moving = status.state !== 'disabled' && remaining > 0;
  const seconds = next_at === null ? null : Math.ceil(next_at - now);
  const next =
    in_flight.length > 0 && (seconds === null || seconds <= 0)
      ? t('banner.now')
      : !moving || seconds === null
        ? '–'
        : seconds <= 0
          ? t('banner.now')
          : t('banner.in', { span: span(seconds) });
  return (
    <dl className="pr-figures">
      <div>
        <dt>{t('banner.remaining', { count: remaining })}</dt>
        <dd>{count(remaining)}</dd>
      </div>
      <div>
        <dt>{t('banner.next')}</dt>
        <dd>{next}</dd>
      </div>
      <div>
        <dt>{t('banner.empty')}</dt>
        <dd>{moving && empty_at !== null ? when(empty_at) : '–'}</dd>
      </div>
      <div>
        <dt>{t('banner.thisMinute')}</dt>
        <dd>
          <Tooltip label={<RateWords />} position="bottom">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard */}
            <span tabIndex={0} className="pr-used">
              {rate.uncapped
                ? count(rate.used_minute)
                : t('banner.used', { used: count(rate.used_minute), cap: count(rate.set_per_minute) })}
              {!rate.uncapped && (
                <Progress
                  className="pr-used-bar"
                  size={3}
                  value={Math.min(100, (rate.used_minute / rate.set_per_minute) * 100)}
                  aria-hidden
                  color={rate.learned_interval_ms ? 'yellow' : 'ink'}
                />
              )}
            </span>
          </Tooltip>
        </dd>
      </div>
    </dl>
  );
}

function RateWords() {
  const { t } = useTranslation();
  const { status } = useShop();
  if (!status) return null;
  const { rate } = status;
  return (
    <>
      {rate.uncapped
        ? t('banner.uncapped')
        : t('banner.spacing', { span: span(rate.interval_ms / 1000, 'long') })}
      {rate.learned_interval_ms !== null &&
        ` ${t('banner.slowed', { span: span(rate.learned_interval_ms / 1000, 'long') })}`}
      {rate.cap_hour > 0 &&
        ` ${t('banner.thisHour', { used: count(rate.used_hour), cap: count(rate.cap_hour) })}`}
      {rate.cap_day > 0 &&
        ` ${t('banner.thisDay', { used: count(rate.used_day), cap: count(rate.cap_day) })}`}
    </>
  );
}
