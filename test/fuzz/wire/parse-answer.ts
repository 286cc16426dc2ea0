// Parses an answer as strictly as HTTP specifies it: any deviation is a finding.
export type WireAnswer = { status: number; headers: Headers; text: string; isClosing: boolean }

/** A response and the position where it ends. The parser returns undefined while a response is incomplete. */
export type ParsedAnswer = { answer: WireAnswer; endsAt: number }

export class BrokenAnswerError extends Error {}

const HEAD_END = '\r\n\r\n'
const STATUS_LINE_PATTERN = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/
const HEADER_PATTERN = /^([!#$%&'*+.^_`|~\w-]+): ([\t\x20-\x7e\x80-\xff]*)$/

export function parseAnswer(
  bytes: Buffer,
  options: { hasBody: boolean; isEnded: boolean },
): ParsedAnswer | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const [, code] = STATUS_LINE_PATTERN.exec(statusLine) ?? []
  if (!code) throw new BrokenAnswerError(`No status line: ${JSON.stringify(statusLine.slice(0, 200))}`)
  const headers = new Headers()
  for (const line of lines) {
    const [, name, value] = HEADER_PATTERN.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw new BrokenAnswerError(`No header: ${JSON.stringify(line.slice(0, 200))}`)
    headers.append(name, value)
  }
  const status = Number(code)
  const bodyAt = headEnd + HEAD_END.length
  if (status < 200) {
    const rest = parseAnswer(bytes.subarray(bodyAt), options)
    return rest && { ...rest, endsAt: rest.endsAt + bodyAt }
  }
  const body = parseBody(bytes, bodyAt, headers, {
    ...options,
    hasBody: options.hasBody && ![204, 304].includes(status),
  })
  if (!body) return undefined
  const isClosing = /\bclose\b/i.test(headers.get('Connection') ?? '')
  return { answer: { status, headers, text: body.text, isClosing }, endsAt: body.endsAt }
}

type BodyOptions = { hasBody: boolean; isEnded: boolean }

function parseBody(bytes: Buffer, at: number, headers: Headers, { hasBody, isEnded }: BodyOptions) {
  if (!hasBody) return { text: '', endsAt: at }
  if (/chunked/i.test(headers.get('Transfer-Encoding') ?? '')) return joinChunks(bytes, at)
  const length = headers.get('Content-Length')
  const endsAt = length === null ? bytes.length : at + Number(length)
  // A response without a length ends when the connection is closed.
  if (bytes.length < endsAt || (length === null && !isEnded)) return undefined
  return { text: bytes.toString('utf8', at, endsAt), endsAt }
}

function joinChunks(bytes: Buffer, from: number) {
  const chunks: Buffer[] = []
  let at = from
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const line = bytes.toString('latin1', at, lineEnd)
    if (!/^[0-9a-f]+$/i.test(line))
      throw new BrokenAnswerError(`No size of a chunk: ${JSON.stringify(line.slice(0, 50))}`)
    const size = Number.parseInt(line, 16)
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return undefined
    if (size === 0) return { text: Buffer.concat(chunks).toString(), endsAt: end + 2 }
    chunks.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}
