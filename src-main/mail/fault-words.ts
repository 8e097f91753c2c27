/** Node's and nodemailer's error codes in plain words. Pure. */

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens at this address and port',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ECONNECTION: 'the connection was closed',
  ESOCKET: 'the connection broke',
  ECONNABORTED: 'the connection was ended by this console',
  EDROPPED: 'the connections were dropped by this console',
  ETUNNEL: 'the way to it through SSH was lost',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to this address',
  ENETUNREACH: 'there is no network',
  ENETDOWN: 'there is no network',
  ENOTFOUND: 'its name is not known (DNS)',
  EAI_AGAIN: 'its name cannot be looked up now (no network, or DNS is down)',
  EDNS: 'its name cannot be looked up',
  EPROTOCOL: 'it does not speak SMTP here',
  ETLS: 'the encrypted connection could not be set up',
  ENOAUTH: 'it offers no login here (try another security or port, or leave the user empty)',
  EAUTH: 'it refused the login',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  HOSTNAME_MISMATCH: 'its certificate is for another host name',
  EPERM: 'this machine does not allow the connection',
  EACCES: 'this machine does not allow the connection',
};

/** Plain words for a fault; unknown codes keep the technical message. */
export function faultWords(code: string, message: string): string {
  const plain = words[code];
  if (plain !== undefined) return `${plain} (${code})`;
  if (/^(?:ERR_SSL|ERR_TLS|EPROTO)/.test(code))
    return `the encrypted connection could not be set up (${code})`;
  return message === '' ? code : `${message} (${code})`;
}
