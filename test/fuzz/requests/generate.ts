// The request of a number: the same seed, number and company give the same request.
import type { OpenApiDocument } from '../../../gateway/api/openapi/document.ts'
import { Random } from '../../harness/random.ts'
import { BYTES, FORMS, JSON_BODIES, SPOILED_FILE } from './body-mutations.ts'
import type { Dictionary } from './dictionary.ts'
import { type Draft, encode, setHeader, type WireRequest } from './draft.ts'
import { HEADERS } from './header-mutations.ts'
import { type Mutation, PATHS, QUERIES } from './mutations.ts'
import { operationsOf, pickOperation, validDraft } from './valid.ts'

const VALID_SHARE = 0.2
const BYTES_SHARE = 0.05
const MUTATIONS_MAX = 3

export type Generate = (number: number) => WireRequest

/** Imports with spoiled files, and nothing else of them spoiled. */
export function createImportGenerator(
  seed: number,
  document: OpenApiDocument,
  dictionary: Dictionary,
): Generate {
  const [target] = operationsOf(document).filter(({ template }) => template.endsWith('/users/import'))
  const spoilFile = FORMS[SPOILED_FILE]
  if (!target || !spoilFile) throw new Error('Nothing can be imported')
  return (number) => {
    const random = new Random(seed * 1_000_003 + number * 7_919 + 2)
    const draft = validDraft(target, dictionary, random)
    setHeader(draft, 'X-Request-Id', `fuzz-import-${number}`)
    spoilFile(draft, random, dictionary)
    draft.mutations.push(SPOILED_FILE)
    return { ...encode(draft, number), again: `--only imports --imports ${number + 1}` }
  }
}

export function createGenerator(seed: number, document: OpenApiDocument, dictionary: Dictionary): Generate {
  const targets = operationsOf(document)
  return (number) => {
    const random = new Random(seed * 1_000_003 + number * 7_919)
    const draft = validDraft(pickOperation(targets, random), dictionary, random)
    setHeader(draft, 'X-Request-Id', `fuzz-${number}`)
    if (random.chance(VALID_SHARE)) return encode(draft, number)
    const times = 1 + random.below(MUTATIONS_MAX)
    for (let time = 0; time < times; time++) mutate(draft, random, dictionary)
    const request = encode(draft, number)
    return random.chance(BYTES_SHARE) ? spoil(request, random) : request
  }
}

function mutate(draft: Draft, random: Random, dictionary: Dictionary): void {
  const groups = [PATHS, QUERIES, HEADERS]
  if (draft.body?.kind === 'json') groups.push(JSON_BODIES, JSON_BODIES, JSON_BODIES)
  if (draft.body?.kind === 'form') groups.push(FORMS, FORMS, FORMS)
  const [name, change] = random.pick(Object.entries<Mutation>(random.pick(groups)))
  change(draft, random, dictionary)
  draft.mutations.push(name)
}

function spoil(request: WireRequest, random: Random): WireRequest {
  const [name, change] = random.pick(Object.entries(BYTES))
  return {
    ...request,
    bytes: change(request.bytes, random),
    mutations: [...request.mutations, name],
    isWhole: false,
  }
}
