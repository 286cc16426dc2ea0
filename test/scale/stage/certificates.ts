// Creates a private certificate authority for tests, and a certificate for the local machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Certificates = { authority: string; certificate: string; key: string }

/** Returns the paths of the files. */
export function createCertificates(directory: string): Certificates {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = (name: string) => join(directory, name)
  const openssl = (...parameters: string[]) =>
    execFileSync('openssl', parameters, { cwd: directory, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  openssl('req', ...newKey, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr')
  writeFileSync(path('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing)
  return { authority: path('ca.pem'), certificate: path('server.pem'), key: path('server.key') }
}
