// Starts load generators, each in a process of its own.
import { startTaskProcess } from '../stage/tasks.ts'
import type { LoadResult, LoadSettings } from './work.ts'

export type Loader = {
  run(work: LoadSettings): Promise<LoadResult>
  stop(): Promise<void>
}

/**
 * Starts our own load generator, which sends every kind of request, and exactly as many requests as a load asks for.
 */
export const startLoader = (): Promise<Loader> => startTaskProcess<LoadSettings, LoadResult>('load/loader')
