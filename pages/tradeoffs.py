"""The page Trade-offs: performance against cost, and a cost-aware order."""

from functools import partial

from foldwise.web import components, inputs
from foldwise.web.texts import page_text
from foldwise.web.views import data_views, order_views, results_views

context = components.page_context()
results_views.ordering_page(context)
n_algorithms = len(inputs.selected_results(context).algorithms)
if n_algorithms < 2:
    components.end_page(
        page_text("page_tradeoffs.needs"),
        page_text("page_tradeoffs.has", source=context.results.source, n=n_algorithms),
    )
data_views.end_page_if_undecided(context)
results, settings, rules = order_views.order_inputs(context)
if rules is None:
    order_views.no_order_yet(results)
else:
    with components.refusing(page_text("page_tradeoffs.refused")):
        key = inputs.selection_key(context)
        evidence = order_views.order_evidence(key, settings, rules, results)
        order = order_views.cached_order(key, settings, rules, results)
        order_views.verdict(context, order)
        order_views.cost_plane(context, order)
        inputs.draw_sections(
            {
                "Order": partial(order_views.order_tab, order),
                "Costs": partial(order_views.order_by_cost_tab, context, order, evidence),
                "Validation and test": partial(order_views.order_on_test_part, context, order),
            },
            "otab",
        )
