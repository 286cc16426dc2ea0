// The screen in a lobby. It shows now; what comes later today it learns by its feed, so without a connection it keeps what
// it has until the day ends.
import { html } from '../../../html/html.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { t, withLanguage } from '../../locales/translate.ts'
import type { ScreenContent, ScreenView } from '../screen/views.ts'
import { findLobbies, findLobbyVersions, type LobbyScreen } from './queries.ts'
import { showLobby } from './show-lobby.ts'

export const lobby: ScreenView = {
  findVersions: findLobbyVersions,
  async findContents(pool, ids, now) {
    const found = await findLobbies(pool, ids, now)
    return new Map(found.map((screen) => [screen.id, contentOf(screen, now)]))
  },
}

const contentOf = (screen: LobbyScreen, now: string): ScreenContent =>
  withLanguage(screen.language, catalogs[screen.language], () => {
    const { building, address, zone, ends } = screen.lobby
    const over = html`<p class="screen-failure">${t`This screen has no data about bookings from now on.`}</p>`
    return {
      version: screen.version,
      zone,
      name: building,
      place: address,
      frames: [
        { from: now, html: showLobby(screen, now).text },
        { from: ends, html: over.text },
      ],
    }
  })
