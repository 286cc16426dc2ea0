// Chooses the content coding from the Accept-Encoding header, and makes the ETag of a coded answer.

export type Coding = 'br' | 'gzip'

// With equal weights, the first wins.
const CODINGS: Coding[] = ['br', 'gzip']

/** Undefined if the answer must be sent uncompressed, as it is without the header. */
export function chooseCoding(acceptEncoding: string): Coding | undefined {
  if (acceptEncoding === '') return undefined
  const weights = new Map(acceptEncoding.split(',').map(parseWeight))
  const others = weights.get('*') ?? 0
  const weightOf = (name: string, otherwise: number) => weights.get(name) ?? otherwise
  const best = CODINGS.map((coding) => ({
    coding,
    weight: coding === 'gzip' ? weightOf(coding, weightOf('x-gzip', others)) : weightOf(coding, others),
  })).reduce((first, second) => (second.weight > first.weight ? second : first))
  return best.weight > 0 && best.weight >= weightOf('identity', 0) ? best.coding : undefined
}

function parseWeight(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
  const q = parameters.find((each) => /^q\s*=/.test(each))
  const weight = q === undefined ? 1 : Number(q.replace(/^q\s*=\s*/, ''))
  return [name, Number.isFinite(weight) ? weight : 0]
}

/** The same text in another coding is another representation with its own ETag (RFC 9110, 8.8.3.3). */
export function codedETag(etag: string, coding: Coding): string {
  return etag.replace(/"$/, `-${coding}"`)
}

/** The ETag of the text, whatever coding it was sent in. */
export function plainETag(etag: string): string {
  return etag.replace(/-(?:br|gzip)"$/, '"')
}
