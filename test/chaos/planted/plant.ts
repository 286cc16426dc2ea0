// Runs with a planted fault: they must find it. Without it (`isControl`) the same scene must find nothing.

import type { PostgresServer } from '../../harness/postgres.ts'
import { type Report, runChaos, type Settings } from '../run.ts'
import type { PlantedInScene } from './faults.ts'

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
  { scene, patches, sabotage }: PlantedInScene,
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
