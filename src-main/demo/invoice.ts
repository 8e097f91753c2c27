/** Invoices of the demo shop: a small PDF in a folder of its own, as the shop's plugin leaves attachments. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Order } from './orders.ts';

// a type, not an interface: it has to fit the payload's loose object
export type InvoiceFile = {
  name: string;
  /** `{root}/{32 hex}/{name}` */
  file: string;
  /** bytes */
  size: number;
  /** lower-case hex */
  sha256: string;
};

/** Writes an order's invoice below `root`. */
export async function writeInvoice(root: string, order: Order): Promise<InvoiceFile> {
  const folder = path.join(root, randomBytes(16).toString('hex'));
  await mkdir(folder, { recursive: true });
  const name = order.words.invoice(order.number);
  const file = path.join(folder, name);
  const content = pdfWith([
    'Studio U (demo)',
    `Invoice ${order.number}`,
    ...order.items.map(({ goods, pieces }) => `${pieces} x ${(goods.price / 100).toFixed(2)} EUR`),
    `Total ${(order.total / 100).toFixed(2)} EUR`,
  ]);
  await writeFile(file, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  // forward slashes, as a shop's server writes paths
  return { name, file: file.split(path.sep).join('/'), size: content.length, sha256 };
}

/** One A4 page with lines of ASCII text; every reader opens it. */
export function pdfWith(lines: readonly string[]): Buffer {
  const safe = lines.map((line) => line.replace(/[^ -~]/g, '?').replace(/[\\()]/g, '\\$&'));
  const text = `BT /F1 14 Tf 18 TL 72 760 Td ${safe.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = pdf.length;
  const entry = (at: number) => `${String(at).padStart(10, '0')} 00000 n \n`;
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map(entry).join('')}`;
  pdf += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(pdf, 'latin1');
}
