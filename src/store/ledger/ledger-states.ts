/** The states of a payment, from its beginning to its end. */
export const paymentStates = ['intended', 'paying', 'unknown', 'paid', 'refused'] as const;

/** The states of a report to the service, from its beginning to its end. */
export const reportStates = ['pending', 'sent', 'confirmed', 'conflict'] as const;

/** Every entry is in one state of each. */
interface EntryState {
  readonly payment: (typeof paymentStates)[number];
  readonly report: (typeof reportStates)[number];
}

/** The states that a filter selects; all of a kind where it names none. */
export function selectedStates(
  payments: readonly EntryState['payment'][] = paymentStates,
  reports: readonly EntryState['report'][] = reportStates,
): readonly EntryState[] {
  return paymentStates
    .filter((payment) => payments.includes(payment))
    .flatMap((payment) =>
      reportStates.filter((report) => reports.includes(report)).map((report) => ({ payment, report })),
    );
}
