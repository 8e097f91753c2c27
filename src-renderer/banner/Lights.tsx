// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the cause in the tooltip must be reachable by keyboard
import { Alert, Group, Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Light, ShopStatus } from '../../src-main/contract/status.ts';
import { told } from '../i18n.ts';

const names = ['shop', 'database', 'mail'] as const;

/** Three lamps: shop, database, mail server. The word behind each says what its colour means. */
export function Lights({ lights, stale }: { lights: ShopStatus['lights']; stale: boolean }) {
  const { t } = useTranslation();
  return (
    <Group gap="lg" role="group" aria-label={t('lights.label')}>
      {names.map((name) => {
        const light: Light = stale ? { color: 'grey', cause: t('lights.stale') } : lights[name];
        const word = t(`lights.${light.color}`);
        const cause = light.cause === null ? null : told(light.cause);
        return (
          <Tooltip key={name} label={cause ?? word}>
            <span
              className="pr-light"
              tabIndex={0}
              role="img"
              aria-label={`${t(`lights.${name}`)}: ${cause ?? word}`}
            >
              <span className="pr-lamp" data-color={light.color} />
              <span aria-hidden>{t(`lights.${name}`)}</span>
            </span>
          </Tooltip>
        );
      })}
    </Group>
  );
}

/** The causes in full, for lamps that are red: nobody should have to hover to learn why no mail leaves. */
export function LightCauses({ lights }: { lights: ShopStatus['lights'] }) {
  const { t } = useTranslation();
  return names
    .filter((name) => lights[name].color === 'red' && lights[name].cause)
    .map((name) => (
      <Alert key={name} role="alert" color="red" variant="light" py={8}>
        <Text size="sm">
          <b>{t(`lights.${name}`)}:</b> {told(lights[name].cause ?? '')}
        </Text>
      </Alert>
    ));
}
