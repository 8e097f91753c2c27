/** What the columns of mail queues are called elsewhere, by what they mean. Guesses only: a person confirms each. */
import { isNumber } from './column-types.ts';

export type Kind = 'any' | 'text' | 'number' | 'time';

export interface Meaning {
  kind: Kind;
  /** without it a table is nothing that could be drained, and not worth naming */
  needed?: true;
  /** only read, so that the one long text of a table may be taken for it whatever its name is */
  longText?: true;
  names: readonly string[];
}

const meanings: readonly Meaning[] = [
  { kind: 'any', names: ['job_id', 'email_job_id', 'original_id', 'queue_id', 'mail_id'] },
  {
    kind: 'any',
    names: ['id', 'uuid', 'email_id', 'mail_id', 'message_id', 'queue_id', 'job_id', 'codigo', 'cislo'],
  },
  {
    kind: 'text',
    needed: true,
    names: [
      ...[
        'recipient',
        'destinatario',
        'recipients',
        'recipient_email',
        'to_email',
        'email_to',
        'mail_to',
        'to_address',
      ],
      ...[
        'to',
        'email',
        'email_address',
        'address',
        'para',
        'penerima',
        'empfaenger',
        'destinataire',
        'prijemce',
      ],
    ],
  },
  {
    kind: 'text',
    needed: true,
    names: ['subject', 'assunto', 'asunto', 'subjek', 'betreff', 'sujet', 'objet', 'predmet', 'title'],
  },
  {
    kind: 'text',
    longText: true,
    names: [
      ...[
        'body',
        'corpo',
        'message',
        'mensagem',
        'mensaje',
        'cuerpo',
        'content',
        'html',
        'body_html',
        'html_body',
      ],
      ...['text', 'isi', 'pesan', 'nachricht', 'corps', 'obsah', 'zprava'],
    ],
  },
  { kind: 'text', names: ['cabecalhos', 'headers', 'header', 'cabeceras', 'mail_headers', 'hlavicky'] },
  {
    kind: 'text',
    needed: true,
    names: ['status', 'estado', 'state', 'situacao', 'mail_status', 'zustand', 'statut', 'stav'],
  },
  {
    kind: 'number',
    names: [
      ...[
        'attempts',
        'tentativas',
        'tries',
        'attempt',
        'attempt_count',
        'attempts_count',
        'retries',
        'retry_count',
      ],
      ...['intentos', 'versuche', 'percobaan', 'pokusy'],
    ],
  },
  {
    kind: 'time',
    names: [
      ...[
        'available_at',
        'proxima_tentativa',
        'next_attempt_at',
        'next_attempt',
        'next_try',
        'next_try_at',
        'retry_at',
      ],
      ...[
        'scheduled_at',
        'scheduled_for',
        'send_at',
        'send_after',
        'not_before',
        'run_at',
        'due_at',
        'agendado_para',
      ],
    ],
  },
  {
    kind: 'time',
    needed: true,
    names: ['reserved_at', 'locked_at', 'claimed_at', 'picked_at', 'taken_at', 'started_at', 'reservado_em'],
  },
  {
    kind: 'time',
    names: [
      'created_at',
      'criado_em',
      'created',
      'date_created',
      'inserted_at',
      'queued_at',
      'creado_en',
      'vytvoreno',
    ],
  },
  { kind: 'time', names: ['updated_at', 'updated', 'modified_at', 'modified', 'atualizado_em'] },
  { kind: 'text', needed: true, names: ['queue', 'queue_name', 'fila', 'cola', 'fronta', 'channel'] },
  {
    kind: 'text',
    needed: true,
    longText: true,
    names: ['payload', 'data', 'job', 'job_data', 'args', 'arguments', 'dados', 'datos', 'obsah'],
  },
  {
    kind: 'text',
    names: [
      ...['error', 'reason', 'exception', 'last_error', 'error_message', 'failure_reason', 'motivo', 'erro'],
      ...['alasan', 'grund', 'fehler', 'duvod', 'chyba'],
    ],
  },
  { kind: 'time', names: ['failed_at', 'falhou_em', 'died_at', 'failed_on', 'buried_at', 'fallo_en'] },
];

/** What a shape's column means; a column of no known meaning goes by its name alone. */
export function meaningOf(column: string): Meaning {
  return meanings.find(({ names }) => names.includes(column)) ?? { kind: 'any', names: [column] };
}

/** What a column's type holds. SQLite takes any word for a type, and keeps times as text. */
export function holds(type: string, kind: Kind, dialect: 'mysql' | 'sqlite'): boolean {
  if (kind === 'any' || type === '') return true;
  const number = isNumber(type);
  const time = /date|time/i.test(type);
  if (kind === 'number') return number;
  if (kind === 'time') return time || (dialect === 'sqlite' && /text|char/i.test(type));
  return !number && !time && !/blob|binary/i.test(type);
}

/** `sendAt`, `SendAt`, `send-at` -> `send_at` */
export const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
