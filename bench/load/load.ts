// Load generators, in processes of their own.
import { startTaskProcess } from '../stage/tasks.ts'
import type { Loaded, Work } from './work.ts'

export type Loader = {
  run(work: Work): Promise<Loaded>
  stop(): Promise<void>
}

/** Our own: it sends requests of every kind, and exactly as many as a load asks for. */
export const startLoader = (): Promise<Loader> => startTaskProcess<Work, Loaded>('load/loader')
