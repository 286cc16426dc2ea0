// Tests the settings of the providers of room calendars: what each of them needs, and a sentence for everything that is
// missing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCalendars } from '../../../shared/settings/calendars.ts'
import { EnvironmentReader } from '../../../shared/settings/environment.ts'

const read = (environment: Record<string, string>) => {
  const reader = new EnvironmentReader(environment)
  return { settings: readCalendars(reader), problems: reader.problems }
}
const listProblems = (environment: Record<string, string>) => read(environment).problems

const SECRET = {
  CALENDARS_MICROSOFT_TENANT: 'example.onmicrosoft.com',
  CALENDARS_MICROSOFT_CLIENT_ID: 'client',
  CALENDARS_MICROSOFT_CLIENT_SECRET: 'secret',
}
const CALDAV = {
  CALENDARS_CALDAV_URL: 'https://dav.example.com/',
  CALENDARS_CALDAV_USER: 'berth',
  CALENDARS_CALDAV_PASSWORD: 'password',
}

describe('the settings of room calendars', () => {
  let folder = ''
  const writeFile = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-calendars-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are absent if no provider is set, whatever the other settings say', () => {
    expect(read({})).to.deep.equal({ settings: undefined, problems: [] })
    expect(read({ CALENDARS_POLL_SECONDS: '60', CALENDARS_RULES: 'on' }).settings).to.equal(undefined)
  })

  it('have defaults beside a provider', () => {
    expect(read(CALDAV)).to.deep.equal({
      settings: {
        microsoft: undefined,
        google: undefined,
        caldav: { url: 'https://dav.example.com/', user: 'berth', password: 'password' },
        allowPrivate: [],
        pollSeconds: 300,
        appliesRules: false,
        usesOrganizerMailboxes: false,
      },
      problems: [],
    })
  })

  it('take a client secret or a certificate for Microsoft 365, and the addresses of national clouds', () => {
    const { settings } = read({
      ...SECRET,
      CALENDARS_MICROSOFT_GRAPH_URL: 'https://graph.microsoft.us',
      CALENDARS_MICROSOFT_LOGIN_URL: 'https://login.microsoftonline.us',
    })
    expect(settings?.microsoft).to.deep.equal({
      credentials: { tenant: 'example.onmicrosoft.com', clientId: 'client', clientSecret: 'secret' },
      graphUrl: 'https://graph.microsoft.us',
      loginUrl: 'https://login.microsoftonline.us',
    })
    const certified = read({
      ...SECRET,
      CALENDARS_MICROSOFT_CLIENT_SECRET: '',
      CALENDARS_MICROSOFT_CERTIFICATE_FILE: writeFile('a.crt', 'certificate'),
      CALENDARS_MICROSOFT_KEY_FILE: writeFile('a.key', 'key'),
    })
    expect(certified.settings?.microsoft?.credentials).to.deep.equal({
      tenant: 'example.onmicrosoft.com',
      clientId: 'client',
      certificate: 'certificate',
      privateKey: 'key',
    })
  })

  it('say what Microsoft 365 lacks', () => {
    const noKey =
      'Microsoft 365 needs CALENDARS_MICROSOFT_CLIENT_SECRET, or both CALENDARS_MICROSOFT_CERTIFICATE_FILE and CALENDARS_MICROSOFT_KEY_FILE.'
    const noClient = 'CALENDARS_MICROSOFT_TENANT and CALENDARS_MICROSOFT_CLIENT_ID must both be set.'
    expect(listProblems({ ...SECRET, CALENDARS_MICROSOFT_TENANT: '' })).to.deep.equal([noClient])
    expect(listProblems({ ...SECRET, CALENDARS_MICROSOFT_CLIENT_ID: '' })).to.deep.equal([noClient])
    expect(listProblems({ ...SECRET, CALENDARS_MICROSOFT_CLIENT_SECRET: '' })).to.deep.equal([noKey])
    expect(
      listProblems({
        ...SECRET,
        CALENDARS_MICROSOFT_CLIENT_SECRET: '',
        CALENDARS_MICROSOFT_CERTIFICATE_FILE: writeFile('b.crt', 'certificate'),
      }),
    ).to.deep.equal([noKey])
    expect(listProblems({ CALENDARS_MICROSOFT_KEY_FILE: writeFile('b.key', 'key') })).to.deep.equal([
      noClient,
      noKey,
    ])
    expect(listProblems({ ...SECRET, CALENDARS_MICROSOFT_CERTIFICATE_FILE: '/nowhere/a.crt' })).to.deep.equal(
      ['CALENDARS_MICROSOFT_CERTIFICATE_FILE names a file that does not exist.'],
    )
    // Nobody can read a folder as a file, whichever user runs this test.
    expect(listProblems({ ...SECRET, CALENDARS_MICROSOFT_CERTIFICATE_FILE: folder })).to.deep.equal([
      'CALENDARS_MICROSOFT_CERTIFICATE_FILE names a file that this process may not read.',
    ])
    expect(listProblems({ ...SECRET, CALENDARS_MICROSOFT_GRAPH_URL: 'graph' })).to.deep.equal([
      'CALENDARS_MICROSOFT_GRAPH_URL must be a URL that starts with https:// or http://.',
    ])
  })

  it('read the key of a service account, and need the user in whose name Berth works', () => {
    const key = {
      client_email: 'berth@project.iam.gserviceaccount.com',
      private_key: 'key',
      private_key_id: '1',
    }
    const file = writeFile('google.json', JSON.stringify(key))
    const set = { CALENDARS_GOOGLE_KEY_FILE: file, CALENDARS_GOOGLE_SUBJECT: 'admin@example.com' }
    expect(read(set).settings?.google).to.deep.equal({
      credentials: {
        clientEmail: key.client_email,
        privateKey: 'key',
        privateKeyId: '1',
        subject: 'admin@example.com',
      },
    })
    expect(listProblems({ ...set, CALENDARS_GOOGLE_SUBJECT: '' })).to.deep.equal([
      'CALENDARS_GOOGLE_SUBJECT is not set, and CALENDARS_GOOGLE_KEY_FILE is. Set it to the user in whose name Berth works.',
    ])
    expect(listProblems({ CALENDARS_GOOGLE_SUBJECT: 'admin@example.com' })).to.deep.equal([
      'CALENDARS_GOOGLE_SUBJECT is set, and CALENDARS_GOOGLE_KEY_FILE is not.',
    ])
    for (const text of ['no JSON', '[]', 'null', '{"client_email":"a@example.com"}'])
      expect(
        listProblems({ ...set, CALENDARS_GOOGLE_KEY_FILE: writeFile('wrong.json', text) }),
      ).to.deep.equal(['CALENDARS_GOOGLE_KEY_FILE must name the JSON key of a service account.'])
    expect(listProblems({ ...set, CALENDARS_GOOGLE_KEY_FILE: '/nowhere/key.json' })).to.deep.include(
      'CALENDARS_GOOGLE_KEY_FILE names a file that does not exist.',
    )
  })

  it('say what a CalDAV server lacks, and never repeat a password', () => {
    const incomplete = 'CALENDARS_CALDAV_URL needs CALENDARS_CALDAV_USER and CALENDARS_CALDAV_PASSWORD.'
    expect(listProblems({ ...CALDAV, CALENDARS_CALDAV_USER: '' })).to.deep.equal([incomplete])
    expect(listProblems({ ...CALDAV, CALENDARS_CALDAV_PASSWORD: '' })).to.deep.equal([incomplete])
    expect(listProblems({ CALENDARS_CALDAV_USER: 'berth' })).to.deep.equal([
      'CALENDARS_CALDAV_USER is set, and CALENDARS_CALDAV_URL is not.',
    ])
    expect(listProblems({ CALENDARS_CALDAV_PASSWORD: 'password' })).to.deep.equal([
      'CALENDARS_CALDAV_PASSWORD is set, and CALENDARS_CALDAV_URL is not.',
    ])
    expect(
      listProblems({ ...CALDAV, CALENDARS_CALDAV_URL: 'ftp://a:pass-word@dav.example.com' }),
    ).to.deep.equal(['CALENDARS_CALDAV_URL must be a URL that starts with https:// or http://.'])
  })

  it('check the networks, the interval and the switch of the rules', () => {
    expect(
      listProblems({
        ...CALDAV,
        CALENDARS_ALLOW_PRIVATE: '10.0.0.0/8 intranet',
        CALENDARS_POLL_SECONDS: '5',
        CALENDARS_RULES: 'maybe',
        CALENDARS_ORGANIZER_MAILBOXES: 'maybe',
      }),
    ).to.deep.equal([
      'CALENDARS_ALLOW_PRIVATE must have addresses or networks like 10.0.0.0/8, not “intranet”.',
      'CALENDARS_POLL_SECONDS must be a whole number from 10 to 86400, not “5”.',
      'CALENDARS_RULES must be true or false, not “maybe”.',
      'CALENDARS_ORGANIZER_MAILBOXES must be true or false, not “maybe”.',
    ])
  })
})
