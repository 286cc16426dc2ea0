// Imports and exports users through the API.
import { openAsBlob } from 'node:fs'
import type { ImportBenchStage } from './stage.ts'

type ImportResult = { created: number[]; updated: number[]; skipped: number[]; errors: number[] }

export async function importUsers(
  { gateway, headers }: ImportBenchStage,
  file: string,
  fields: Record<string, string> = {},
): Promise<ImportResult> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', await openAsBlob(file), file.split('/').pop())
  const answer = await fetch(`${gateway.url}/api/v1/users/import`, { method: 'POST', headers, body: form })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as ImportResult
}

/** Exports all users, and returns the size of the file once it has arrived completely. */
export async function exportUsers(
  { gateway, headers }: ImportBenchStage,
  format: 'csv' | 'xlsx',
): Promise<number> {
  const answer = await fetch(`${gateway.url}/api/v1/users/export?format=${format}`, { headers })
  if (answer.status !== 200 || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`)
  let bytes = 0
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.length
  return bytes
}

export function expectCount(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`)
}
