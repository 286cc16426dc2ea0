// Checks whether a host is this machine, by its name alone.
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname)
