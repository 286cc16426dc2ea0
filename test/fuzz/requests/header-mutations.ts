// Corrupts the headers of a valid request.
import { removeHeader, setHeader } from './draft.ts'
import type { Mutation } from './mutations.ts'

export const HEADER_MUTATIONS: Record<string, Mutation> = {
  'no token': (draft) => removeHeader(draft, 'Authorization'),
  'another token': (draft, random, { readToken, token }) => {
    const values = [
      `Bearer ${readToken}`,
      `Bearer ${token}x`,
      `bearer  ${token}`,
      `Bearer`,
      `Basic ${token}`,
      token,
    ]
    setHeader(
      draft,
      'Authorization',
      random.pick([...values, 'Bearer \xff', `Bearer ${'x'.repeat(8_000)}`, '']),
    )
  },
  'another content type': (draft, random) => setHeader(draft, 'Content-Type', random.pick(CONTENT_TYPES)),
  'another content encoding': (draft, random) =>
    setHeader(
      draft,
      'Content-Encoding',
      random.pick(['gzip', 'br', 'deflate', 'identity', 'x', 'gzip, gzip', '']),
    ),
  'another Accept': (draft, random) => setHeader(draft, 'Accept', random.pick(ACCEPT_VALUES)),
  'a key': (draft, random) => setHeader(draft, 'Idempotency-Key', random.pick(IDEMPOTENCY_KEYS)),
  'a Prefer header': (draft, random) =>
    setHeader(
      draft,
      'Prefer',
      random.pick(['respond-async', 'respond-async, wait=0', 'wait=x', ';;=', 'return=minimal']),
    ),
  'a conditional header': (draft, random) =>
    setHeader(
      draft,
      random.pick(['If-None-Match', 'If-Match', 'If-Modified-Since', 'Range']),
      random.pick(CONDITIONAL_HEADERS),
    ),
  'a request id': (draft, random) =>
    setHeader(
      draft,
      'X-Request-Id',
      random.pick(['a', 'x'.repeat(129), 'a b', '\xe9', '', '../..', '{"a":1}']),
    ),
  'a proxy header': (draft, random) => {
    const names = [
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'X-Forwarded-Host',
      'Forwarded',
      'X-HTTP-Method-Override',
    ]
    setHeader(
      draft,
      random.pick(names),
      random.pick(['127.0.0.1', 'javascript', 'x, y', '::', 'DELETE', '\xff']),
    )
  },
  'another Host': (draft, random) => {
    setHeader(
      draft,
      'Host',
      random.pick(['', 'a b', 'x:99999', '[::1', 'user@x', 'x/y', '\xff', 'x'.repeat(5_000)]),
    )
    if (random.chance(0.2)) removeHeader(draft, 'Host')
    if (random.chance(0.2)) draft.headers.push(['Host', 'second'])
  },
  'a browser header': (draft, random) => {
    const name = random.pick([
      'Origin',
      'Referer',
      'Cookie',
      'Sec-Fetch-Site',
      'Access-Control-Request-Method',
    ])
    draft.headers.push([
      name,
      random.pick(['null', 'http://x', 'berth_session=x', 'berth_session=%zz', ';;=;', 'a=\xff']),
    ])
  },
  'a duplicate header': (draft, random) => {
    draft.headers.push([...random.pick(draft.headers)])
  },
  'many headers': (draft, random) => {
    const number = random.pick([10, 200, 1_500])
    for (let each = 0; each < number; each++) draft.headers.push([`X-${each}`, 'a'])
  },
  framing: (draft, random) => draft.headers.push(random.pick(FRAMING_HEADERS)),
}

const CONTENT_TYPES = [
  '',
  'application/json',
  'application/merge-patch+json',
  'application/problem+json',
  'text/plain',
  'text/json',
  '*/*',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;;=',
  'application/',
  '\xff',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  'multipart/mixed; boundary=a',
  `multipart/form-data; boundary=${'x'.repeat(3_000)}`,
  'application/x-www-form-urlencoded',
  'application/xml',
]
const ACCEPT_VALUES = [
  '',
  '*/*',
  'text/html',
  'application/problem+json',
  'application/json;q=0',
  '*/*;q=0',
  'application/json;q=x',
  ';;',
  '\xff',
  'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  'image/svg+xml',
  'text/csv',
  `${'a/b,'.repeat(1_500)}*/*`,
]
const IDEMPOTENCY_KEYS = [
  '',
  ' ',
  '"a"',
  '"a',
  'x'.repeat(255),
  'x'.repeat(256),
  'a b',
  '\xe9',
  '__proto__',
  'same',
  'same',
  "';--",
]
const CONDITIONAL_HEADERS = [
  '*',
  '""',
  'W/"a"',
  '"a", "b"',
  'x',
  'bytes=0-1',
  'bytes=9-',
  'bytes=-1',
  'items=1',
  'Thu, 01 Jan 1970 00:00:00 GMT',
]
const FRAMING_HEADERS: Array<[string, string]> = [
  ['Content-Length', '0'],
  ['Content-Length', '5'],
  ['Content-Length', '999999999'],
  ['Content-Length', '-1'],
  ['Content-Length', '1e3'],
  ['Content-Length', '99999999999999999999'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'gzip, chunked'],
  ['Transfer-Encoding', 'chunked, identity'],
  ['Transfer-Encoding', '\x0bchunked'],
  ['Expect', '100-continue'],
  ['Expect', 'x'],
  ['Connection', 'close'],
  ['Connection', 'upgrade'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
]
