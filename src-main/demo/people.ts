/** Customers and goods of the demo shop: believable, invented, in several languages and scripts. */

export interface Customer {
  name: string;
  /** local part of the address */
  mailbox: string;
  language: Language;
  street: string;
  town: string;
}
export type Language = 'cs' | 'de' | 'en' | 'fr' | 'es' | 'pl' | 'el' | 'ja';

const customer = (
  name: string,
  mailbox: string,
  language: Language,
  street: string,
  town: string,
): Customer => ({
  name,
  mailbox,
  language,
  street,
  town,
});

export const customers: readonly Customer[] = [
  customer('Anežka Dvořáková', 'anezka.dvorakova', 'cs', 'Údolní 12', '602 00 Brno'),
  customer('Jürgen Groß', 'j.gross', 'de', 'Königstraße 7', '70173 Stuttgart'),
  customer('Grace Okafor', 'grace.okafor', 'en', '4 Mill Lane', 'Bristol BS1 6XN'),
  customer('Zoë Lefèvre', 'zoe.lefevre', 'fr', '18 rue des Lilas', '69003 Lyon'),
  customer('Íñigo Muñoz', 'inigo.munoz', 'es', 'Calle del Pez 21', '28004 Madrid'),
  customer('Łucja Wiśniewska', 'lucja.w', 'pl', 'ul. Długa 3', '31-147 Kraków'),
  customer('Ελένη Παπαδάκη', 'eleni.p', 'el', 'Ερμού 40', '105 63 Αθήνα'),
  customer('山田 花子', 'hanako.yamada', 'ja', '西新宿 2-8-1', '東京都新宿区'),
  customer('Tomáš "Tomek" Řehoř, ml.', 'tomas.rehor', 'cs', 'Lipová 5', '779 00 Olomouc'),
  customer("Siobhán O'Neill", 'siobhan.oneill', 'en', '27 Quay Street', 'Galway H91 K5X2'),
  customer('Renée Ångström-Weiß', 'renee.aw', 'de', 'Hauptplatz 1', '8010 Graz'),
  customer('Björk Þórsdóttir', 'bjork', 'en', 'Laugavegur 24', '101 Reykjavík'),
  customer('Đặng Thị Hương', 'huong.dang', 'fr', '3 place Bellecour', '69002 Lyon'),
  customer('Ondřej Čížek', 'ondrej.cizek', 'cs', 'Na Příkopě 9', '110 00 Praha 1'),
];

export interface Goods {
  name: string;
  /** EUR cents */
  price: number;
}

export const goods: readonly Goods[] = [
  { name: 'Portrait print 30 × 40 cm, matt', price: 2490 },
  { name: 'Linen photo album “Léto”', price: 5900 },
  { name: 'Oak frame 50 × 70 cm', price: 3850 },
  { name: 'Family session, 60 min', price: 14_900 },
  { name: 'Set of 24 postcards', price: 1800 },
  { name: 'Canvas 80 × 60 cm', price: 7200 },
  { name: 'Gift voucher', price: 5000 },
  { name: 'Wall calendar, 13 sheets', price: 2200 },
];

export interface Phrases {
  subject: (order: number) => string;
  title: string;
  hello: (name: string) => string;
  thanks: string;
  order: string;
  total: string;
  /** name of the invoice's file */
  invoice: (order: number) => string;
}

export const phrases: Record<Language, Phrases> = {
  cs: {
    subject: (order) => `Vaše objednávka č. ${order} je dokončena`,
    title: 'Děkujeme za nákup',
    hello: (name) => `Dobrý den, ${name},`,
    thanks: 'vaše fotografie jsou vytištěné a právě opustily ateliér.',
    order: 'Objednávka',
    total: 'Celkem',
    invoice: (order) => `účtenka-${order}.pdf`,
  },
  de: {
    subject: (order) => `Deine Bestellung Nr. ${order} ist fertig`,
    title: 'Danke für deinen Einkauf',
    hello: (name) => `Hallo ${name},`,
    thanks:
      'deine Bilder sind gedruckt und haben gerade das Atelier verlassen. Viel Freude damit – schöne Grüße!',
    order: 'Bestellung',
    total: 'Gesamtsumme',
    invoice: (order) => `Rechnung-${order}.pdf`,
  },
  en: {
    subject: (order) => `Your order #${order} is complete`,
    title: 'Thanks for shopping with us',
    hello: (name) => `Hi ${name},`,
    thanks: 'your pictures are printed and have just left the studio.',
    order: 'Order',
    total: 'Total',
    invoice: (order) => `invoice-${order}.pdf`,
  },
  fr: {
    subject: (order) => `Votre commande n° ${order} est terminée`,
    title: 'Merci pour votre achat',
    hello: (name) => `Bonjour ${name},`,
    thanks: 'vos photos sont imprimées et viennent de quitter l’atelier.',
    order: 'Commande',
    total: 'Total',
    invoice: (order) => `facture-${order}.pdf`,
  },
  es: {
    subject: (order) => `¡Tu pedido n.º ${order} está completo!`,
    title: 'Gracias por tu compra',
    hello: (name) => `Hola, ${name}:`,
    thanks: 'tus fotos están impresas y acaban de salir del estudio.',
    order: 'Pedido',
    total: 'Total',
    invoice: (order) => `factura-${order}.pdf`,
  },
  pl: {
    subject: (order) => `Twoje zamówienie nr ${order} zostało zrealizowane`,
    title: 'Dziękujemy za zakupy',
    hello: (name) => `Dzień dobry, ${name},`,
    thanks: 'Twoje zdjęcia są już wydrukowane i właśnie opuściły pracownię.',
    order: 'Zamówienie',
    total: 'Razem',
    invoice: (order) => `faktura-${order}.pdf`,
  },
  el: {
    subject: (order) => `Η παραγγελία σας #${order} ολοκληρώθηκε`,
    title: 'Ευχαριστούμε για την αγορά σας',
    hello: (name) => `Γεια σας ${name},`,
    thanks: 'οι φωτογραφίες σας τυπώθηκαν και μόλις έφυγαν από το εργαστήριο.',
    order: 'Παραγγελία',
    total: 'Σύνολο',
    invoice: (order) => `τιμολόγιο-${order}.pdf`,
  },
  ja: {
    subject: (order) => `ご注文 #${order} が完了しました 📷`,
    title: 'お買い上げありがとうございます',
    hello: (name) => `${name} 様`,
    thanks: '写真のプリントが完成し、先ほどスタジオから発送いたしました。',
    order: 'ご注文',
    total: '合計',
    invoice: (order) => `領収書-${order}.pdf`,
  },
};
