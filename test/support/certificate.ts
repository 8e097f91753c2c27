/** A self-signed certificate made at run time, without any program: X.509 v3 in DER, signed by node:crypto. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface CertificateOptions {
  /** DNS names and IPv4 addresses it is good for */
  names?: readonly string[];
  /** ms since 1970 */
  notBefore?: number;
  notAfter?: number;
}

const der = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...content: Buffer[]) => der(0x30, ...content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (ms: number) =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`));

/** Key and certificate in PEM. Default: localhost and 127.0.0.1, good for a day. */
export function selfSignedCertificate(options: CertificateOptions = {}): { key: string; cert: string } {
  const names = options.names ?? ['localhost', '127.0.0.1'];
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(names[0] ?? 'localhost')))));
  const alternatives = names.map((entry) =>
    /^\d+\.\d+\.\d+\.\d+$/.test(entry)
      ? der(0x87, Buffer.from(entry.split('.').map(Number)))
      : der(0x82, Buffer.from(entry)),
  );
  const isCa = sequence(
    oid('551d13'),
    der(0x01, Buffer.from([0xff])),
    der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
  );
  const goodFor = sequence(oid('551d11'), der(0x04, sequence(...alternatives)));
  const serial = randomBytes(8);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x01;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaSha256,
    name,
    sequence(
      time(options.notBefore ?? Date.now() - 3_600_000),
      time(options.notAfter ?? Date.now() + 86_400_000),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isCa, goodFor)),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, ecdsaSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
