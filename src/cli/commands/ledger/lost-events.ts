/** `7 events were recorded after this backup`: what a restored ledger lacks, as far as it is known. */
export function lostInWords(lostEvents: number | null): string {
  if (lostEvents === null) return 'nobody knows how many events were recorded after this backup';
  return `${lostEvents} ${lostEvents === 1 ? 'event was' : 'events were'} recorded after this backup`;
}

/** `0 payments`, in digits: the number is to be compared with that of the lost events. */
export function paymentsInWords(count: number): string {
  return `${count} ${count === 1 ? 'payment' : 'payments'}`;
}
