// A request in a form that mutations can change before it is encoded.
export type Part = { name: string; filename?: string; type?: string; headers?: string[]; content: Buffer }

export type Body =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; parts: Part[]; boundary: string; isEnded: boolean }
  | { kind: 'raw'; bytes: Buffer }

export type Draft = {
  /** The operation as the OpenAPI document names it: “POST /api/v1/bookings”. */
  operation: string
  mutations: string[]
  method: string
  /** The path exactly as it is sent. */
  path: string
  query: Array<[name: string, value: string]>
  /** The text after the query, exactly as it is sent. */
  rawQuery: string
  headers: Array<[name: string, value: string]>
  body: Body | undefined
}

export type WireRequest = {
  number: number
  operation: string
  mutations: string[]
  method: string
  /** The path as it is sent, without its query and fragment. */
  path: string
  bytes: Buffer
  /** Whether the bytes are a single complete HTTP request. Otherwise it is unknown where the request ends. */
  isWhole: boolean
  /** The options of npm run test:fuzz that send the request again, together with the seed. */
  again: string
}

// Headers that determine where a request ends.
const FRAMING_HEADER_PATTERN = /^(content-length|transfer-encoding|connection|upgrade|expect)$/i

export function setHeader(draft: Draft, name: string, value: string): void {
  removeHeader(draft, name)
  draft.headers.push([name, value])
}

export function removeHeader(draft: Draft, name: string): void {
  draft.headers = draft.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase())
}

export function encodeDraft(draft: Draft, number: number): WireRequest {
  const body = draft.body ? encodeBody(draft.body) : undefined
  const query = draft.query
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
    )
    .join('&')
  const target = `${draft.path}${query || draft.rawQuery ? '?' : ''}${query}${draft.rawQuery}`
  const isFramedByUs = !draft.headers.some(([name]) => FRAMING_HEADER_PATTERN.test(name))
  const lines = [
    `${draft.method} ${target} HTTP/1.1`,
    ...draft.headers.map(([name, value]) => `${name}: ${value}`),
    ...(isFramedByUs && body ? [`Content-Length: ${body.length}`] : []),
  ]
  // Headers are bytes: mutations have already encoded characters beyond Latin-1.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return {
    number,
    operation: draft.operation,
    mutations: draft.mutations,
    method: draft.method,
    path: draft.path.replace(/[?#].*$/, ''),
    bytes: Buffer.concat([head, body ?? Buffer.alloc(0)]),
    isWhole: isFramedByUs && isCleanHead(draft, target),
    again: `--request ${number}`,
  }
}

function isCleanHead(draft: Draft, target: string): boolean {
  const isCleanHeader = ([name, value]: [string, string]) =>
    /^[\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  return (
    /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(draft.method) &&
    /^\/[\x21-\x7e]*$/.test(target) &&
    draft.headers.every(isCleanHeader)
  )
}

function encodeBody(body: Body): Buffer {
  if (body.kind === 'raw') return body.bytes
  if (body.kind === 'json') return encodeJson(body.value)
  const pieces: Buffer[] = []
  for (const part of body.parts)
    pieces.push(Buffer.from(formatPartHead(part, body.boundary)), part.content, Buffer.from('\r\n'))
  if (body.isEnded) pieces.push(Buffer.from(`--${body.boundary}--\r\n`))
  return Buffer.concat(pieces)
}

// Encoding fails if repeated mutations made the value longer than the longest possible string.
function encodeJson(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? '')
  } catch (error) {
    if (error instanceof RangeError) return Buffer.from('[')
    throw error
  }
}

function formatPartHead({ name, filename, type, headers = [] }: Part, boundary: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${name}"${file}`,
    ...(type ? [`Content-Type: ${type}`] : []),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
