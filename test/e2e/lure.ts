/** A server, and a mail that tries to reach it by every means that an HTML mail knows. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Lure {
  /** paths that were asked for */
  reached: string[];
  address(name: string): string;
  mail(): string;
  close(): Promise<void>;
}

export async function startLure(): Promise<Lure> {
  const reached: string[] = [];
  const server = createServer((request, answer) => {
    reached.push(String(request.url));
    answer.end('x');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const out = (name: string) => `http://127.0.0.1:${port}/${name}`;
  return {
    reached,
    address: out,
    mail: () => `<html><head><base href="${out('base')}/"><meta http-equiv="refresh" content="0;url=${out('refresh')}">
      <link rel="stylesheet" href="${out('link')}"><style>@import url(${out('import')}); p { background: url(${out('css')}) }</style>
      <script src="${out('script')}"></script></head><body background="${out('background')}">
      <p style="background:\\75rl(${out('inline')})">Dear customer</p>
      <script>parent.document.title = 'owned'; fetch('${out('fetch')}'); top.location = '${out('top')}'</script>
      <img src="${out('image')}" srcset="${out('srcset')} 2x" onerror="fetch('${out('onerror')}')" alt="Shop window">
      <img src="cid:logo" alt="Logo"><svg onload="fetch('${out('svg')}')"><image href="${out('svgimage')}"/></svg>
      <iframe src="${out('iframe')}"></iframe><object data="${out('object')}"></object><embed src="${out('embed')}">
      <video poster="${out('poster')}" src="${out('video')}"></video><form action="${out('form')}"><input autofocus onfocus="this.form.submit()" name="a"><button>Send</button></form>
      <a href="${out('visit')}">Your order</a> <a href="javascript:fetch('${out('js')}')">Click me</a>
      <table background="${out('table')}"><tr><td>Cell</td></tr></table></body></html>`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
