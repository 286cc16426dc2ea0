// Runs with a planted fault: they must find it. Without it (`isControl`) the same scene must find nothing.
import { type Report, runChaos, type Settings } from '../run.ts'
import type { PostgresServer } from '../stage/postgres.ts'
import type { Planted } from './faults.ts'

const SETTINGS = {
  writes: 40,
  waitMs: 3_000,
  clients: 8,
  importers: 0,
  waiters: 0,
  clerks: 0,
  stormMs: 0,
  pauseMs: 0,
  kills: 0,
}

export async function runPlanted(
  { scene, patches, sabotage }: Planted,
  { postgres, seed, isControl = false }: { postgres: PostgresServer; seed: number; isControl?: boolean },
): Promise<Report> {
  const settings: Settings = { ...SETTINGS, ...scene, postgres, seed }
  if (isControl) return runChaos(settings)
  return runChaos({
    ...settings,
    ...(patches ? { patches } : {}),
    prepare: async ({ database }) => sabotage?.(database),
  })
}

/** What was found of what this fault breaks; nothing where it was missed. */
export function caughtBy({ shows }: Planted, { history }: Report): string[] {
  const found = new Set(history.findings.map(({ promise }) => promise))
  return shows.some((promise) => found.has(promise)) ? [...found] : []
}
