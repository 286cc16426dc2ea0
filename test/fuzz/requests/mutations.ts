// How a valid request is spoiled: its method, path and query. Each takes a draft and changes it.
import type { Random } from '../../harness/random.ts'
import type { Dictionary } from './dictionary.ts'
import type { Draft } from './draft.ts'
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
      '/',
      '/healthz',
      '/readyz',
      '/metrics',
      '/api/docs',
      '/api/docs/errors',
      '/api/v1/openapi.json',
      '/api/v1',
      '/dashboard',
      '/dashboard/sign-in',
      '/dashboard/bookings',
      '/dashboard/queues/writes',
      '/favicon.ico',
      '/robots.txt',
      '*',
      'http://127.0.0.1/api/v1/groups',
      'http://x',
      '//x/api/v1/groups',
      '/api/v1/../../metrics',
      '?',
      '',
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
