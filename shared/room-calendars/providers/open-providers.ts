// Opens the providers of room calendars that have settings.
import { type HostLookup, ReachableNetworks } from '../../networks/reachable-networks.ts'
import type { CalendarSettings } from '../../settings/calendars.ts'
import { CALENDAR_PROVIDERS, type CalendarProviderName } from '../room-calendars.ts'
import { CalDavProvider } from './caldav.ts'
import { GoogleProvider } from './google.ts'
import { MicrosoftProvider } from './microsoft.ts'
import type { CalendarProvider } from './provider.ts'
import type { Limits, ObserveRequest } from './requests.ts'

export type ProviderOptions = {
  limits?: Limits
  /** Called after every request. */
  observe?: (provider: CalendarProviderName, request: Parameters<ObserveRequest>[0]) => void
  // The following are only set by tests.
  lookup?: HostLookup
  /** The address of a test server that takes the place of Google's. The settings name those of the other providers. */
  googleUrl?: string
}

export class OpenProviders {
  readonly #open: Map<CalendarProviderName, CalendarProvider>

  constructor(settings: CalendarSettings, options: ProviderOptions = {}) {
    const networks = new ReachableNetworks(settings.allowPrivate, options.lookup)
    const open = openProviders(settings, networks, options)
    this.#open = new Map(open.map((provider) => [provider.name, provider]))
  }

  get = (name: CalendarProviderName): CalendarProvider | undefined => this.#open.get(name)

  get names(): CalendarProviderName[] {
    return [...this.#open.keys()]
  }

  /** The providers that have no settings in this process. */
  get others(): CalendarProviderName[] {
    return CALENDAR_PROVIDERS.filter((name) => !this.#open.has(name))
  }

  close() {
    for (const provider of this.#open.values()) provider.close()
  }
}

function openProviders(
  { microsoft, google, caldav }: CalendarSettings,
  networks: ReachableNetworks,
  { limits, observe, googleUrl }: ProviderOptions,
): CalendarProvider[] {
  const createCommon = (name: CalendarProviderName) => ({
    networks,
    ...(limits && { limits }),
    ...(observe && { observe: (request: Parameters<ObserveRequest>[0]) => observe(name, request) }),
  })
  return [
    ...(microsoft
      ? [
          new MicrosoftProvider({
            ...createCommon('microsoft'),
            credentials: microsoft.credentials,
            ...(microsoft.graphUrl && { graphUrl: microsoft.graphUrl }),
            ...(microsoft.loginUrl && { loginUrl: microsoft.loginUrl }),
          }),
        ]
      : []),
    ...(google
      ? [
          new GoogleProvider({
            ...createCommon('google'),
            credentials: google.credentials,
            ...(googleUrl && { apiUrl: googleUrl, directoryUrl: googleUrl, tokenUrl: `${googleUrl}/token` }),
          }),
        ]
      : []),
    ...(caldav ? [new CalDavProvider({ ...createCommon('caldav'), ...caldav })] : []),
  ]
}
