// Runs a scene with a planted fault, which the checks must detect. With `isControl`, runs the same scene without the
// fault, and the checks must report nothing.
import type { Knex } from 'knex'
import type { Planted } from '../../harness/planted.ts'
import type { PostgresServer } from '../../harness/postgres.ts'
import type { BrokenPromise } from '../history.ts'
import { type Report, runChaos, type Settings } from '../run.ts'

export type PlantedInScene = Planted<BrokenPromise> & {
  sabotage?(database: Knex): PromiseLike<unknown>
  scene: Partial<Settings>
}

const SCENE_SETTINGS = {
  writes: 40,
  waitMs: 3_000,
  clients: 8,
  importers: 0,
  waiters: 0,
  clerks: 0,
  planners: 0,
  stormMs: 0,
  pauseMs: 0,
  kills: 0,
}

export async function runPlanted(
  { scene, patches, sabotage }: PlantedInScene,
  { postgres, seed, isControl = false }: { postgres: PostgresServer; seed: number; isControl?: boolean },
): Promise<Report> {
  const settings: Settings = { ...SCENE_SETTINGS, ...scene, postgres, seed }
  if (isControl) return runChaos(settings)
  return runChaos({
    ...settings,
    ...(patches ? { patches } : {}),
    prepare: async ({ database }) => sabotage?.(database),
  })
}
