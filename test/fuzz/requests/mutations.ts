// Corrupts the method, path and query of a valid request. Each mutation changes a draft.
import type { Random } from '../../harness/random.ts'
import type { Dictionary } from './dictionary.ts'
import type { Draft } from './draft.ts'
import { HOSTILE_NUMBERS, HOSTILE_TEXTS, HOSTILE_TIMES } from './hostile-values.ts'

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
const HOSTILE_IDS = [
  ...HOSTILE_NUMBERS.map(String),
  ...HOSTILE_TEXTS.map((text) => encodeURIComponent(text.toWellFormed())),
  '1,2',
  '1%20',
  '0001',
  '+1',
]

export const PATH_MUTATIONS: Record<string, Mutation> = {
  'another id': (draft, random) => replaceSegment(draft, random, () => random.pick(HOSTILE_IDS)),
  'a hostile value in the path': (draft, random) =>
    replaceSegment(draft, random, (segment) => insertAt(segment, random, random.pick(PATH_PIECES))),
  'another segment': (draft, random) => {
    draft.path += `/${random.pick([...PATH_PIECES, '', '', 'bookings', 'livemap', 'x'.repeat(9_000)])}`
  },
  'a missing segment': (draft) => {
    draft.path = draft.path.replace(/\/[^/]*$/, '') || '/'
  },
  'another letter case': (draft) => {
    draft.path = draft.path.toUpperCase()
  },
  'another path': (draft, random) => {
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

export const QUERY_MUTATIONS: Record<string, Mutation> = {
  'a hostile value in the query': (draft, random) => {
    const pair = pickOrAdd(draft, random)
    pair[1] = random.pick([...HOSTILE_TEXTS, ...HOSTILE_TIMES, ...HOSTILE_NUMBERS.map(String)])
  },
  'a missing query field': (draft, random) => {
    if (draft.query.length > 0) draft.query.splice(random.below(draft.query.length), 1)
  },
  'a duplicate query field': (draft, random) => {
    const [name] = pickOrAdd(draft, random)
    draft.query.push([name, random.pick([...HOSTILE_TEXTS, ...HOSTILE_TIMES, '1'])])
  },
  'another query field name': (draft, random) => {
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
    draft.query.push([random.pick(names), random.pick([...HOSTILE_TEXTS, '1', 'true'])])
  },
  'paging parameters': (draft, random) => {
    draft.query.push(['limit', random.pick(['1', '2', '1000', '1001', '0', '-1', '1e2', ' 5', ''])])
    if (random.chance(0.5)) draft.query.push(['cursor', createHostileCursor(random)])
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
  // Corrupts one of the last segments, where ids usually are.
  const at = Math.max(1, segments.length - 1 - random.below(3))
  segments[at] = change(segments[at] ?? '')
  draft.path = segments.join('/')
}

function pickOrAdd(draft: Draft, random: Random): [string, string] {
  if (draft.query.length === 0)
    draft.query.push([random.pick(['limit', 'from', 'building_id', 'details', 'x']), '1'])
  return random.pick(draft.query)
}

function createHostileCursor(random: Random): string {
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
    random.pick(HOSTILE_TEXTS),
  ])
}

export function insertAt(text: string, random: Random, piece: string): string {
  const at = random.below(text.length + 1)
  return text.slice(0, at) + piece + text.slice(at + (random.chance(0.3) ? 1 : 0))
}
