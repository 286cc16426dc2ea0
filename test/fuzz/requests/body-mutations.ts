// How the body of a valid request is spoiled: JSON as values and as text, forms, and bytes of any kind.
import type { Random } from '../../harness/random.ts'
import { mutateBytes } from '../files/mutate-bytes.ts'
import { mutateFile } from '../files/mutate-file.ts'
import type { Body, Part } from './draft.ts'
import { NUMBERS, OTHERS, TEXTS, TIMES } from './hostile-values.ts'
import { insertAt, type Mutation } from './mutations.ts'

type Container = Record<string | number, unknown>

// Longer than a body may be, and still soon made.
const LIST_BYTES_MAX = 2_000_000

const ROOTS = [
  '',
  'null',
  '[]',
  '"x"',
  '1',
  '{',
  '[{}]',
  '{"a":',
  `${'['.repeat(100_000)}`,
  `{"a":${'{"a":'.repeat(5_000)}`,
]
const SNIPPETS = [
  '1e400',
  '-1e400',
  '1E-400',
  '\\ud800',
  '\\u0000',
  '\ufeff',
  ',',
  '}',
  '{',
  ']',
  '"',
  '\\',
  '/**/',
  'NaN',
  '0x1',
  '"__proto__":{"x":1},',
  '"constructor":{},',
  '"":0,',
  'true',
  'null',
  '\0',
  '\u2028',
  '9'.repeat(400),
]

const onValue =
  (change: (container: Container, key: string, random: Random) => void): Mutation =>
  (draft, random) => {
    if (draft.body?.kind !== 'json') return
    const { value } = draft.body
    const containers = containersOf(value).filter((container) => Object.keys(container).length > 0)
    if (containers.length === 0) return
    const container = random.pick(containers)
    change(container, random.pick(Object.keys(container)), random)
  }

export const JSON_BODIES: Record<string, Mutation> = {
  'a hostile text': onValue((container, key, random) => {
    container[key] = random.pick([...TEXTS, ...TIMES])
  }),
  'a hostile number': onValue((container, key, random) => {
    container[key] = random.pick(NUMBERS)
  }),
  'another kind of value': onValue((container, key, random) => {
    container[key] = structuredClone(random.pick(OTHERS))
  }),
  'a field is missing': onValue((container, key) => {
    delete container[key]
  }),
  'a field that nobody knows': onValue((container, _key, random) => {
    const name = random.pick([
      'id',
      'status',
      'created_at',
      'user',
      'event_id',
      'exclusive',
      'toString',
      'x'.repeat(5_000),
    ])
    container[name] = structuredClone(random.pick([...OTHERS, 1, 'x']))
  }),
  'a long list': onValue((container, key, random) => {
    const copies = LIST_BYTES_MAX / (1 + (JSON.stringify(container[key])?.length ?? 0))
    const length = Math.min(random.pick([2, 101, 1_001, 20_000]), Math.ceil(copies))
    container[key] = Array.from({ length }, () => container[key])
  }),
  'a deep value': onValue((container, key) => {
    let value: unknown = 1
    for (let level = 0; level < 1_000; level++) value = [value]
    container[key] = value
  }),
  'another root': (draft, random) => {
    if (draft.body?.kind === 'json') draft.body = { kind: 'raw', bytes: Buffer.from(random.pick(ROOTS)) }
  },
  'JSON as a text': (draft, random) => {
    if (draft.body?.kind !== 'json') return
    const text = insertAt(JSON.stringify(draft.body.value), random, random.pick(SNIPPETS))
    draft.body = { kind: 'raw', bytes: Buffer.from(text, random.pick(['utf8', 'utf8', 'latin1', 'utf16le'])) }
  },
  'more than 1 MiB': (draft, random) => {
    if (draft.body?.kind === 'json' && random.chance(0.1))
      draft.body = { kind: 'raw', bytes: Buffer.alloc(1_100_000, '[0,') }
  },
  'spoiled bytes': (draft, random) => {
    if (draft.body?.kind !== 'json') return
    draft.body = { kind: 'raw', bytes: mutateBytes(Buffer.from(JSON.stringify(draft.body.value)), random) }
  },
}

const FILE_NAMES = [
  '',
  'x',
  '../../x.csv',
  '\ud800.csv',
  'x'.repeat(10_000),
  'a%00.csv',
  'a\\"b.csv',
  '\u202evsc.exe',
  'con',
  ' ',
  '.',
  '%ff',
  "'; DROP TABLE files",
  'a;b=c',
  'a\tb',
]

const onForm =
  (change: (form: Extract<Body, { kind: 'form' }>, random: Random) => void): Mutation =>
  (draft, random) => {
    if (draft.body?.kind === 'form') change(draft.body, random)
  }
const fileOf = (parts: Part[]) => parts.find(({ name }) => name === 'file')

export const SPOILED_FILE = 'a spoiled file'

export const FORMS: Record<string, Mutation> = {
  [SPOILED_FILE]: onForm(({ parts }, random) => {
    const file = fileOf(parts)
    if (file) file.content = mutateFile({ name: file.filename ?? '', bytes: file.content }, random)
  }),
  'a hostile name of the file': onForm(({ parts }, random) => {
    const file = fileOf(parts)
    if (file) file.filename = random.pick(FILE_NAMES)
  }),
  'a hostile value of a field': onForm(({ parts }, random) => {
    random.pick(parts).content = Buffer.from(random.pick(TEXTS))
  }),
  'another name of a field': onForm(({ parts }, random) => {
    random.pick(parts).name = random.pick([
      '__proto__',
      'constructor',
      'file',
      'update',
      '',
      'x"y',
      'a[b]',
      'x'.repeat(5_000),
    ])
  }),
  'a part twice': onForm(({ parts }, random) => parts.push({ ...random.pick(parts) })),
  'a part is missing': onForm(({ parts }, random) => parts.splice(random.below(parts.length), 1)),
  'the file as a field': onForm(({ parts }) => {
    const file = fileOf(parts)
    if (file) delete file.filename
  }),
  'a field as a file': onForm(({ parts }, random) => {
    random.pick(parts).filename = 'x'
  }),
  'headers of a part': onForm(({ parts }, random) => {
    const headers = [
      'Content-Transfer-Encoding: base64',
      'Content-Transfer-Encoding: x',
      'X: \0',
      ': ',
      'x',
      'Content-Length: 1',
    ]
    random.pick(parts).headers = [random.pick([...headers, `X: ${'x'.repeat(9_000)}`])]
  }),
  'many fields': onForm(({ parts }, random) => {
    const number = random.pick([100, 1_100])
    for (let each = 0; each < number; each++) parts.unshift({ name: `f${each}`, content: Buffer.from('x') })
  }),
  'a field of 70 kB': onForm(({ parts }) =>
    parts.unshift({ name: 'update', content: Buffer.alloc(70_000, 'x') }),
  ),
  'no end': onForm((form) => {
    form.isEnded = false
  }),
  'another boundary': onForm((form, random) => {
    form.boundary = random.pick(['', 'x', '-', 'x'.repeat(80)])
  }),
}

/** Anything may come of it, a second request as well. */
export const BYTES = {
  'spoiled bytes of the request': (bytes: Buffer, random: Random) => mutateBytes(bytes, random),
  'the request breaks off': (bytes: Buffer, random: Random) => bytes.subarray(0, random.below(bytes.length)),
}

// Not in what is deep or long already.
const DEPTH_MAX = 4
const LENGTH_MAX = 50

function containersOf(value: unknown, depth = 0): Container[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return []
  const inner = Object.values(value).slice(0, LENGTH_MAX)
  return [value as Container, ...inner.flatMap((each) => containersOf(each, depth + 1))]
}
