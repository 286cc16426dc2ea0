// Describes the findings of a run, and saves their requests so that they can be sent again.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding as HarnessFinding } from '../harness/findings.ts'
import type { WireRequest } from './requests/draft.ts'

export const PROMISES = [
  'no 5xx',
  'no 503 that persists',
  'every request is answered',
  'every answer is HTTP',
  'every answer is as documented',
  'internals stay hidden',
  'no error in the logs',
  'no process ends',
  'memory is flat',
  'a file is read within its limits',
  'limits hold',
  'others are served',
  'every operation succeeds at times',
] as const

export type Finding = HarnessFinding<(typeof PROMISES)[number]> & { request?: WireRequest }

export type Figures = Record<string, string | number>

const SHOWN_BYTES_MAX = 1_500

/** Saves the bytes of the request in a file. The finding then says how to send it again. */
export function saveRequest(finding: Finding, folder: string): Finding {
  const { request } = finding
  if (!request) return finding
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `request-${request.number}.http`)
  writeFileSync(file, request.bytes)
  const about = [
    `${request.operation}, mutations: ${request.mutations.join(', ') || 'none'}`,
    `send it again: nc 127.0.0.1 PORT < ${file}`,
    `or with its seed: -- --seed SEED ${request.again}`,
  ]
  if (request.bytes.length <= SHOWN_BYTES_MAX) about.push(JSON.stringify(request.bytes.toString('latin1')))
  return { ...finding, about }
}
