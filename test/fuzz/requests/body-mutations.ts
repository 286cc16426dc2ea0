// Corrupts the body of a valid request: JSON as values and as text, forms, and any bytes.
import type { Random } from '../../harness/random.ts'
import { mutateBytes } from '../files/mutate-bytes.ts'
import { mutateFile } from '../files/mutate-file.ts'
import type { Body, Part } from './draft.ts'
import { HOSTILE_NUMBERS, HOSTILE_TEXTS, HOSTILE_TIMES, HOSTILE_VALUES } from './hostile-values.ts'
import { insertAt, type Mutation } from './mutations.ts'

type Container = Record<string | number, unknown>

// Exceeds the maximum body size, but is still fast to create.
const LIST_BYTES_MAX = 2_000_000

const UNEXPECTED_BODIES = [
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

const mutateValue =
  (change: (container: Container, key: string, random: Random) => void): Mutation =>
  (draft, random) => {
    if (draft.body?.kind !== 'json') return
    const { value } = draft.body
    const containers = listContainers(value).filter((container) => Object.keys(container).length > 0)
    if (containers.length === 0) return
    const container = random.pick(containers)
    change(container, random.pick(Object.keys(container)), random)
  }

export const JSON_BODY_MUTATIONS: Record<string, Mutation> = {
  'a hostile text': mutateValue((container, key, random) => {
    container[key] = random.pick([...HOSTILE_TEXTS, ...HOSTILE_TIMES])
  }),
  'a hostile number': mutateValue((container, key, random) => {
    container[key] = random.pick(HOSTILE_NUMBERS)
  }),
  'a value of another type': mutateValue((container, key, random) => {
    container[key] = structuredClone(random.pick(HOSTILE_VALUES))
  }),
  'a missing field': mutateValue((container, key) => {
    delete container[key]
  }),
  'an unknown field': mutateValue((container, _key, random) => {
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
    container[name] = structuredClone(random.pick([...HOSTILE_VALUES, 1, 'x']))
  }),
  'a long list': mutateValue((container, key, random) => {
    const copies = LIST_BYTES_MAX / (1 + (JSON.stringify(container[key])?.length ?? 0))
    const length = Math.min(random.pick([2, 101, 1_001, 20_000]), Math.ceil(copies))
    container[key] = Array.from({ length }, () => container[key])
  }),
  'a deeply nested value': mutateValue((container, key) => {
    let value: unknown = 1
    for (let level = 0; level < 1_000; level++) value = [value]
    container[key] = value
  }),
  'another root value': (draft, random) => {
    if (draft.body?.kind === 'json')
      draft.body = { kind: 'raw', bytes: Buffer.from(random.pick(UNEXPECTED_BODIES)) }
  },
  'JSON as text': (draft, random) => {
    if (draft.body?.kind !== 'json') return
    const text = insertAt(JSON.stringify(draft.body.value), random, random.pick(SNIPPETS))
    draft.body = { kind: 'raw', bytes: Buffer.from(text, random.pick(['utf8', 'utf8', 'latin1', 'utf16le'])) }
  },
  'more than 1 MiB': (draft, random) => {
    if (draft.body?.kind === 'json' && random.chance(0.1))
      draft.body = { kind: 'raw', bytes: Buffer.alloc(1_100_000, '[0,') }
  },
  'corrupted bytes': (draft, random) => {
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

const mutateForm =
  (change: (form: Extract<Body, { kind: 'form' }>, random: Random) => void): Mutation =>
  (draft, random) => {
    if (draft.body?.kind === 'form') change(draft.body, random)
  }
const findFilePart = (parts: Part[]) => parts.find(({ name }) => name === 'file')

export const CORRUPTED_FILE = 'a corrupted file'

export const FORM_MUTATIONS: Record<string, Mutation> = {
  [CORRUPTED_FILE]: mutateForm(({ parts }, random) => {
    const file = findFilePart(parts)
    if (file) file.content = mutateFile({ name: file.filename ?? '', bytes: file.content }, random)
  }),
  'a hostile file name': mutateForm(({ parts }, random) => {
    const file = findFilePart(parts)
    if (file) file.filename = random.pick(FILE_NAMES)
  }),
  'a hostile field value': mutateForm(({ parts }, random) => {
    random.pick(parts).content = Buffer.from(random.pick(HOSTILE_TEXTS))
  }),
  'another field name': mutateForm(({ parts }, random) => {
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
  'a duplicate part': mutateForm(({ parts }, random) => parts.push({ ...random.pick(parts) })),
  'a missing part': mutateForm(({ parts }, random) => parts.splice(random.below(parts.length), 1)),
  'the file as a field': mutateForm(({ parts }) => {
    const file = findFilePart(parts)
    if (file) delete file.filename
  }),
  'a field as a file': mutateForm(({ parts }, random) => {
    random.pick(parts).filename = 'x'
  }),
  'additional part headers': mutateForm(({ parts }, random) => {
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
  'many fields': mutateForm(({ parts }, random) => {
    const number = random.pick([100, 1_100])
    for (let each = 0; each < number; each++) parts.unshift({ name: `f${each}`, content: Buffer.from('x') })
  }),
  'a field of 70 kB': mutateForm(({ parts }) =>
    parts.unshift({ name: 'update', content: Buffer.alloc(70_000, 'x') }),
  ),
  'a missing end': mutateForm((form) => {
    form.isEnded = false
  }),
  'another boundary': mutateForm((form, random) => {
    form.boundary = random.pick(['', 'x', '-', 'x'.repeat(80)])
  }),
}

/** Corrupts bytes. The result may have any effect, and may even be read as two requests. */
export const BYTE_MUTATIONS = {
  'corrupted request bytes': (bytes: Buffer, random: Random) => mutateBytes(bytes, random),
  'a truncated request': (bytes: Buffer, random: Random) => bytes.subarray(0, random.below(bytes.length)),
}

// Skips values that are deep or long already.
const DEPTH_MAX = 4
const LENGTH_MAX = 50

function listContainers(value: unknown, depth = 0): Container[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return []
  const inner = Object.values(value).slice(0, LENGTH_MAX)
  return [value as Container, ...inner.flatMap((each) => listContainers(each, depth + 1))]
}
