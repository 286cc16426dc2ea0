// How a valid request is spoiled: what stands before its body. Each takes a draft and changes it.
import type { Random } from '../../chaos/random.ts'
import type { Dictionary } from './dictionary.ts'
import { type Draft, removeHeader, setHeader } from './draft.ts'
import { NUMBERS, TEXTS, TIMES } from './hostile-values.ts'

export type Mutation = (draft: Draft, random: Random, dictionary: Dictionary) => void

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'get',
  'FOO',
]

const PATH_PIECES = [
  ...[
    '%00',
    '%ff',
    '%zz',
    '%',
    '%2e%2e',
    '..',
    '.',
    '%2f',
    '%5c',
    '\\',
    '//',
    ';a=b',
    '*',
    ':',
    '@',
    "'",
    '%F0%9F%98%80',
  ],
  ...[
    '%0d%0aX-A:%201',
    '#',
    '%23',
    'constructor',
    '__proto__',
    '%C0%AE',
    '+',
    '~',
    '{id}',
    '%ED%A0%80',
    '|',
    '^',
    '`',
  ],
]
const IDS = [
  ...NUMBERS.map(String),
  ...TEXTS.map((text) => encodeURIComponent(text.toWellFormed())),
  '1,2',
  '1%20',
  '0001',
  '+1',
]

export const PATHS: Record<string, Mutation> = {
  'another id': (draft, random) => replaceSegment(draft, random, () => random.pick(IDS)),
  'something in the path': (draft, random) =>
    replaceSegment(draft, random, (segment) => insertAt(segment, random, random.pick(PATH_PIECES))),
  'another segment': (draft, random) => {
    draft.path += `/${random.pick([...PATH_PIECES, '', '', 'bookings', 'livemap', 'x'.repeat(9_000)])}`
  },
  'a segment less': (draft) => {
    draft.path = draft.path.replace(/\/[^/]*$/, '') || '/'
  },
  'letter case': (draft) => {
    draft.path = draft.path.toUpperCase()
  },
  'another address': (draft, random) => {
    draft.path = random.pick([
      ...[
        '/',
        '/healthz',
        '/readyz',
        '/metrics',
        '/api/docs',
        '/api/docs/errors',
        '/api/v1/openapi.json',
        '/api/v1',
      ],
      ...[
        '/dashboard',
        '/dashboard/sign-in',
        '/dashboard/bookings',
        '/dashboard/queues',
        '/favicon.ico',
        '/robots.txt',
      ],
      ...[
        '*',
        'http://127.0.0.1/api/v1/groups',
        'http://x',
        '//x/api/v1/groups',
        '/api/v1/../../metrics',
        '?',
        '',
      ],
    ])
  },
  'another method': (draft, random) => {
    draft.method = random.pick(METHODS)
  },
}

export const QUERIES: Record<string, Mutation> = {
  'a hostile value in the query': (draft, random) => {
    const pair = pickOrAdd(draft, random)
    pair[1] = random.pick([...TEXTS, ...TIMES, ...NUMBERS.map(String)])
  },
  'a field of the query is missing': (draft, random) => {
    if (draft.query.length > 0) draft.query.splice(random.below(draft.query.length), 1)
  },
  'a field of the query twice': (draft, random) => {
    const [name] = pickOrAdd(draft, random)
    draft.query.push([name, random.pick([...TEXTS, ...TIMES, '1'])])
  },
  'another name in the query': (draft, random) => {
    const names = [
      'from[]',
      'from[a]',
      '__proto__',
      'constructor',
      'limit',
      'cursor',
      'to.x',
      '',
      'dry_run',
      'format',
    ]
    draft.query.push([random.pick(names), random.pick([...TEXTS, '1', 'true'])])
  },
  'a page': (draft, random) => {
    draft.query.push(['limit', random.pick(['1', '2', '1000', '1001', '0', '-1', '1e2', ' 5', ''])])
    if (random.chance(0.5)) draft.query.push(['cursor', hostileCursor(random)])
  },
  'a raw query': (draft, random) => {
    draft.rawQuery = random.pick([
      '&',
      '=',
      '&&=',
      '%',
      '&a=%zz',
      '&a=%ff',
      '&\x7f',
      '&#x',
      '&a=b=c',
      `&${'a=1&'.repeat(2_000)}`,
    ])
  },
}

export const HEADERS: Record<string, Mutation> = {
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
  'another type of the body': (draft, random) => setHeader(draft, 'Content-Type', random.pick(CONTENT_TYPES)),
  'another encoding of the body': (draft, random) =>
    setHeader(
      draft,
      'Content-Encoding',
      random.pick(['gzip', 'br', 'deflate', 'identity', 'x', 'gzip, gzip', '']),
    ),
  'another Accept': (draft, random) => setHeader(draft, 'Accept', random.pick(ACCEPTS)),
  'a key': (draft, random) => setHeader(draft, 'Idempotency-Key', random.pick(KEYS)),
  'a preference': (draft, random) =>
    setHeader(
      draft,
      'Prefer',
      random.pick(['respond-async', 'respond-async, wait=0', 'wait=x', ';;=', 'return=minimal']),
    ),
  'a condition': (draft, random) =>
    setHeader(
      draft,
      random.pick(['If-None-Match', 'If-Match', 'If-Modified-Since', 'Range']),
      random.pick(CONDITIONS),
    ),
  'an id of the request': (draft, random) =>
    setHeader(
      draft,
      'X-Request-Id',
      random.pick(['a', 'x'.repeat(129), 'a b', '\xe9', '', '../..', '{"a":1}']),
    ),
  'a header of proxies': (draft, random) => {
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
  'a browser’s header': (draft, random) => {
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
  'a header twice': (draft, random) => {
    draft.headers.push([...random.pick(draft.headers)])
  },
  'many headers': (draft, random) => {
    const number = random.pick([10, 200, 1_500])
    for (let each = 0; each < number; each++) draft.headers.push([`X-${each}`, 'a'])
  },
  framing: (draft, random) => draft.headers.push(random.pick(FRAMINGS)),
}

const CONTENT_TYPES = [
  ...[
    '',
    'application/json',
    'application/merge-patch+json',
    'application/problem+json',
    'text/plain',
    'text/json',
    '*/*',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json;;=',
    'application/',
    '\xff',
  ],
  ...[
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="',
    'multipart/mixed; boundary=a',
  ],
  ...[
    `multipart/form-data; boundary=${'x'.repeat(3_000)}`,
    'application/x-www-form-urlencoded',
    'application/xml',
  ],
]
const ACCEPTS = [
  ...[
    '',
    '*/*',
    'text/html',
    'application/problem+json',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=x',
    ';;',
    '\xff',
  ],
  ...[
    'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
    'image/svg+xml',
    'text/csv',
    `${'a/b,'.repeat(1_500)}*/*`,
  ],
]
const KEYS = [
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
const CONDITIONS = [
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
const FRAMINGS: Array<[string, string]> = [
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

function replaceSegment(draft: Draft, random: Random, change: (segment: string) => string): void {
  const segments = draft.path.split('/')
  // Whatever names something is in the last ones.
  const at = Math.max(1, segments.length - 1 - random.below(3))
  segments[at] = change(segments[at] ?? '')
  draft.path = segments.join('/')
}

function pickOrAdd(draft: Draft, random: Random): [string, string] {
  if (draft.query.length === 0)
    draft.query.push([random.pick(['limit', 'from', 'building_id', 'details', 'x']), '1'])
  return random.pick(draft.query)
}

function hostileCursor(random: Random): string {
  const json = random.pick([
    '{}',
    '[]',
    'null',
    '{"id":"x"}',
    '[1,2]',
    '["2026-01-01",1]',
    '{"after":[null]}',
  ])
  return random.pick([
    Buffer.from(json).toString('base64url'),
    json,
    'x',
    '',
    '='.repeat(9),
    random.pick(TEXTS),
  ])
}

export function insertAt(text: string, random: Random, piece: string): string {
  const at = random.below(text.length + 1)
  return text.slice(0, at) + piece + text.slice(at + (random.chance(0.3) ? 1 : 0))
}
