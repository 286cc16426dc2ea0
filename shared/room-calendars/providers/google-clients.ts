// Sends requests to Google in the name of the user of the settings, or of a person whose calendar a request is about.
import { AuthorizedClient, createGoogleTokens, type GoogleCredentials } from './credentials.ts'
import { type Calendar, ProviderFault } from './provider.ts'
import { type HttpAnswer, type HttpRequest, orElse, type Send } from './requests.ts'

export const CALENDAR_SCOPE = 'https://www.googleapis.com/auth/calendar'
export const ROOMS_SCOPE = 'https://www.googleapis.com/auth/admin.directory.resource.calendar.readonly'

// The limit on people whose access tokens are kept.
const PEOPLE_MAX = 200

export class GoogleClients {
  readonly #createClient: (subject: string, scopes: string[]) => AuthorizedClient
  readonly #own: AuthorizedClient
  readonly #people = new Map<string, AuthorizedClient>()

  constructor(send: Send, credentials: GoogleCredentials, tokenUrl: string | undefined) {
    this.#createClient = (subject, scopes) =>
      new AuthorizedClient(
        send,
        createGoogleTokens(send, { ...credentials, subject }, scopes, tokenUrl ? { tokenUrl } : {}),
      )
    this.#own = this.#createClient(credentials.subject, [CALENDAR_SCOPE, ROOMS_SCOPE])
  }

  // An administrator may not write to the calendar of a person, but the service account may act in the name of that person.
  // Google gives no token in the name of somebody whom it does not know, and none at all while it refuses the credentials. A new token
  // of the user of the settings tells these apart.
  send(request: HttpRequest, calendar?: Calendar): Promise<HttpAnswer> {
    if (!calendar?.isPersonal) return this.#own.send(request)
    const sent = this.#getClient(calendar.id).send(request)
    return orElse(sent, ['credentials_refused'], async ({ message }) => {
      await this.#own.renewToken()
      throw new ProviderFault('not_found', message)
    })
  }

  #getClient(person: string): AuthorizedClient {
    const client = this.#people.get(person) ?? this.#createClient(person, [CALENDAR_SCOPE])
    // The map has the people in the order of their last requests, so the first one is forgotten.
    this.#people.delete(person)
    this.#people.set(person, client)
    for (const first of this.#people.keys()) if (this.#people.size > PEOPLE_MAX) this.#people.delete(first)
    return client
  }
}
