import { useTranslation } from 'react-i18next';
import type { ProfileView, ShopConnection } from '../../../src-main/contract/channels.ts';
import { call } from '../../bridge/client.ts';
import { useAction } from '../../bridge/hooks.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { toDraft, toForm } from './draft.ts';
import { NewHostKey } from './HostKeyNote.tsx';
import { shownKey } from './host-key.ts';

interface Props {
  view: ProfileView;
  connection: ShopConnection;
  onTrusted: () => Promise<void>;
}

/** For a saved shop whose server is met for the first time. Never offered for a changed key. */
export function HostKeyOffer({ view, connection, onTrusted }: Props) {
  const { t } = useTranslation();
  const draft = toDraft(view.form);
  const key = shownKey(connection.phase === 'failed' ? connection.error : null);
  const trust = useAction(async () => {
    await call('profiles:save', view.id, toForm({ ...draft, sshHostKey: key ?? '' }, view.form), {});
    await onTrusted();
  });
  if (!key || draft.sshHostKey !== '') return null;
  return (
    <NewHostKey
      host={draft.sshHost}
      fingerprint={key}
      label={t('hostKey.trust')}
      busy={trust.busy}
      onTrust={() => void trust.run()}
    >
      {trust.error && <ErrorNote error={trust.error} />}
    </NewHostKey>
  );
}
