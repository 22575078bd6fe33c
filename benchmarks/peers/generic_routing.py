"""OR-Tools routing: guided local search on tours and routes; only the two families it is made for."""

from __future__ import annotations

from typing import Any

from ortools.constraint_solver import pywrapcp, routing_enums_pb2

FAMILIES = ("tsp", "vehicle_routing")


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Search until the budget is spent."""
    dist, n = data["distances"], len(data["distances"])
    vehicles = 1 if family == "tsp" else n - 1
    manager = pywrapcp.RoutingIndexManager(n, vehicles, 0)
    routing = pywrapcp.RoutingModel(manager)
    node = manager.IndexToNode
    transit = routing.RegisterTransitCallback(lambda i, j: dist[node(i)][node(j)])
    routing.SetArcCostEvaluatorOfAllVehicles(transit)
    if family == "vehicle_routing":
        demand = routing.RegisterUnaryTransitCallback(lambda i: data["demands"][node(i)])
        routing.AddDimension(demand, 0, data["capacity"], True, "load")

    def routes() -> list[list[int]]:
        found = []
        for vehicle in range(vehicles):
            at, route = routing.NextVar(routing.Start(vehicle)).Value(), []
            while not routing.IsEnd(at):
                route.append(node(at))
                at = routing.NextVar(at).Value()
            if route:
                found.append(route)
        return found

    def found() -> None:
        cost = routing.CostVar().Value()
        run.report(cost, lambda: [0, *routes()[0]] if family == "tsp" else routes())
        if run.left() <= 0:
            routing.solver().FinishCurrentSearch()

    routing.AddAtSolutionCallback(found)
    options = pywrapcp.DefaultRoutingSearchParameters()
    options.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    options.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    options.time_limit.FromSeconds(max(1, round(4 * run.budget)))
    routing.SolveWithParameters(options)
