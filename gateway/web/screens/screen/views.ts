// What a kind of screen shows. The frames of a screen cover the next hours, so that it goes on by its own clock while it
// has no connection.
import type pg from 'pg'
import type { Language } from '../../../../shared/messages/languages.ts'
import type { ScreenAppearance, ScreenKind } from '../../../../shared/screens/screens.ts'

export type Screen = {
  id: number
  kind: ScreenKind
  name: string
  appearance: ScreenAppearance
  language: Language
}

/** What the screen shows from a moment on, until the next frame. */
export type Frame = { from: string; html: string }

/** `version` changes whenever any of the frames do. */
export type ScreenContent = { version: string; name: string; place: string; zone: string; frames: Frame[] }

export type ScreenView = {
  /** One statement for many screens. Screens that are revoked, or whose place is gone, are missing. */
  findVersions(pool: pg.Pool, ids: number[], now: string): Promise<Map<number, string>>
  /** The same with the whole content, in the language of each screen. */
  findContents(pool: pg.Pool, ids: number[], now: string): Promise<Map<number, ScreenContent>>
}
