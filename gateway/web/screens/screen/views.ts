// Defines what each kind of screen shows. The frames of a screen cover the next hours, so that the screen can
// continue by its own clock without a connection.
import type pg from 'pg'
import type { Language } from '../../../../shared/messages/languages.ts'
import type { ScreenAppearance, ScreenKind } from '../../../../shared/screens/screens.ts'

export type Screen = {
  id: number
  /** The hash of the secret in the address. */
  hash: string
  kind: ScreenKind
  name: string
  appearance: ScreenAppearance
  language: Language
}

/** What the screen shows from a given time until the next frame. */
export type ScreenFrame = { from: string; html: string }

/** The content of a screen. `version` changes whenever one of the frames changes. */
export type ScreenContent = {
  version: string
  name: string
  place: string
  zone: string
  frames: ScreenFrame[]
}

export type ScreenView = {
  /** Finds the versions of many screens in one statement. Leaves out revoked screens, and screens whose place
   * no longer exists. */
  findVersions(pool: pg.Pool, ids: number[], now: string): Promise<Map<number, string>>
  /** Finds the complete content of many screens, each in its own language. */
  findContents(pool: pg.Pool, ids: number[], now: string): Promise<Map<number, ScreenContent>>
}
