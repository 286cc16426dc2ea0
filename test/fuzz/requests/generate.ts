// Generates the request with a given number: the same seed, number and data give the same request.
import type { OpenApiDocument } from '../../../gateway/api/openapi/document.ts'
import { Random } from '../../harness/random.ts'
import { BYTE_MUTATIONS, CORRUPTED_FILE, FORM_MUTATIONS, JSON_BODY_MUTATIONS } from './body-mutations.ts'
import type { Dictionary } from './dictionary.ts'
import { type Draft, encodeDraft, setHeader, type WireRequest } from './draft.ts'
import { HEADER_MUTATIONS } from './header-mutations.ts'
import { type Mutation, PATH_MUTATIONS, QUERY_MUTATIONS } from './mutations.ts'
import { createValidDraft, listOperations, pickOperation } from './valid.ts'

const VALID_SHARE = 0.2
const CORRUPTED_BYTES_SHARE = 0.05
const MUTATIONS_MAX = 3

export type Generate = (number: number) => WireRequest

/** Generates imports whose files are corrupted, and whose requests are otherwise valid. */
export function createImportGenerator(
  seed: number,
  document: OpenApiDocument,
  dictionary: Dictionary,
): Generate {
  const [target] = listOperations(document).filter(({ template }) => template.endsWith('/users/import'))
  const spoilFile = FORM_MUTATIONS[CORRUPTED_FILE]
  if (!target || !spoilFile) throw new Error('Nothing can be imported')
  return (number) => {
    const random = new Random(seed * 1_000_003 + number * 7_919 + 2)
    const draft = createValidDraft(target, dictionary, random)
    setHeader(draft, 'X-Request-Id', `fuzz-import-${number}`)
    spoilFile(draft, random, dictionary)
    draft.mutations.push(CORRUPTED_FILE)
    return { ...encodeDraft(draft, number), again: `--only imports --imports ${number + 1}` }
  }
}

export function createGenerator(seed: number, document: OpenApiDocument, dictionary: Dictionary): Generate {
  const targets = listOperations(document)
  return (number) => {
    const random = new Random(seed * 1_000_003 + number * 7_919)
    const draft = createValidDraft(pickOperation(targets, random), dictionary, random)
    setHeader(draft, 'X-Request-Id', `fuzz-${number}`)
    if (random.chance(VALID_SHARE)) return encodeDraft(draft, number)
    const times = 1 + random.below(MUTATIONS_MAX)
    for (let time = 0; time < times; time++) mutateDraft(draft, random, dictionary)
    const request = encodeDraft(draft, number)
    return random.chance(CORRUPTED_BYTES_SHARE) ? corruptBytes(request, random) : request
  }
}

function mutateDraft(draft: Draft, random: Random, dictionary: Dictionary): void {
  const groups = [PATH_MUTATIONS, QUERY_MUTATIONS, HEADER_MUTATIONS]
  if (draft.body?.kind === 'json') groups.push(JSON_BODY_MUTATIONS, JSON_BODY_MUTATIONS, JSON_BODY_MUTATIONS)
  if (draft.body?.kind === 'form') groups.push(FORM_MUTATIONS, FORM_MUTATIONS, FORM_MUTATIONS)
  const [name, change] = random.pick(Object.entries<Mutation>(random.pick(groups)))
  change(draft, random, dictionary)
  draft.mutations.push(name)
}

function corruptBytes(request: WireRequest, random: Random): WireRequest {
  const [name, change] = random.pick(Object.entries(BYTE_MUTATIONS))
  return {
    ...request,
    bytes: change(request.bytes, random),
    mutations: [...request.mutations, name],
    isWhole: false,
  }
}
